// The way of tasks into a pool from OS threads outside of it.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "lwt/channel.h"
#include "lwt/event.h"
#include "lwt/pool.h"
#include "taskrt/order/task.h"

namespace taskrt {

// A resource: an OS thread that sleeps while the pool works for it.
class Injector {
 public:
  // `start(task)` is called in the pool for each that was added, in that order.
  Injector(lwt::Pool& pool, std::function<void(Task&)> start)
      : thread_([this, &pool, start = std::move(start)] {
          pool.Run([&] {
            while (const std::optional<Task*> task = tasks_.Receive()) start(**task);
            all_started_.Set();
          });
        }) {}
  // Those that were added are started. A thread of the pool leaves its worker to them.
  ~Injector() {
    tasks_.Close();
    all_started_.Wait();
    thread_.join();
  }
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  // Waits while too many are on the way.
  void Add(Task& task) { (void)tasks_.Send(&task); }  // No thread adds during destruction.

 private:
  static constexpr std::size_t kMostOnTheWay = 1024;

  lwt::Channel<Task*> tasks_{kMostOnTheWay};
  lwt::Event all_started_;
  std::thread thread_;
};

}  // namespace taskrt
