// The way of tasks into a pool from OS threads outside of it.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "lwt/channel.h"
#include "lwt/event.h"
#include "lwt/pool.h"
#include "lwt/timer.h"
#include "taskrt/task/task.h"

namespace taskrt {

// A resource: an OS thread that sleeps while the pool works for it. For a while after the last task
// it stays in the pool, where the next costs no switch of OS threads; not for ever, as an idle
// runtime would look like a thread of the pool that waits in vain.
class Injector {
 public:
  // `start(task)` is called in the pool for each that was added, in that order.
  Injector(lwt::Pool& pool, std::function<void(Task&)> start)
      : thread_([this, &pool, start = std::move(start)] { Inject(pool, start); }) {}
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
  static constexpr int kMostTries = 10'000;
  static constexpr auto kStay = std::chrono::milliseconds(20);

  void Inject(lwt::Pool& pool, const std::function<void(Task&)>& start) {
    while (std::optional<Task*> task = tasks_.Receive()) {
      int tries = 0;
      const auto start_all = [&] {
        while (task) {
          start(**task);
          tries = 0;
          task = tasks_.TryReceive();
          if (!task) task = tasks_.ReceiveUntil(lwt::DeadlineAfter(kStay));
        }
      };
      while (task) {
        try {
          pool.Serve(start_all);
        } catch (const std::bad_alloc&) {  // Threads that end make room.
          if (++tries == kMostTries) throw;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }
    }
    all_started_.Set();
  }

  lwt::Channel<Task*> tasks_{kMostOnTheWay};
  lwt::Event all_started_;
  std::thread thread_;
};

}  // namespace taskrt
