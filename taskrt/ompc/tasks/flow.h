// A flow of control that waits for tasks: the own one of a region's member, which runs tasks
// meanwhile (lwt::Guest), or any other thread, lightweight or not.
//
// Threads: Wait by the flow that made it, once; Wake once, by any thread.
// Order: what came before Wake happens before what follows Wait. Wake does not touch the flow after
// it
//   has let it go.
#pragma once

#include <atomic>
#include <thread>

#include "lwt/guest.h"
#include "lwt/thread.h"
#include "lwt/waiter.h"

namespace taskrt {

// The guest that the calling OS thread is as a member of a region, where its own flow calls this;
// null elsewhere, in the tasks that it runs too.
lwt::Guest* OwnGuest();

// A resource: while it lives the OS thread is this guest for OwnGuest.
class BecomesGuest {
 public:
  explicit BecomesGuest(lwt::Guest& guest);
  ~BecomesGuest();
  BecomesGuest(const BecomesGuest&) = delete;
  BecomesGuest& operator=(const BecomesGuest&) = delete;

 private:
  lwt::Guest* const before_;
};

// A value on the stack of the flow.
class Flow {
 public:
  Flow() : guest_(OwnGuest()) {}
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  void Wait(const char* why) {
    if (guest_ == nullptr) return waiter_.Wait(why);
    while (!is_woken_.load(std::memory_order_acquire)) guest_->Park();
  }
  void Wake() {
    if (guest_ == nullptr) return waiter_.Wake();
    lwt::Pool& pool = guest_->worker().pool();
    const int worker = guest_->worker().index();
    is_woken_.store(true, std::memory_order_release);
    lwt::Guest::Unpark(pool, worker);
  }

 private:
  lwt::Guest* const guest_;
  std::atomic<bool> is_woken_{false};
  lwt::Waiter waiter_;
};

// Lets other tasks run, or OS threads, in a loop that looks again and again whether something is
// so; `looks`: how often it has.
void GiveWay(int looks);

}  // namespace taskrt
