// The order in which a thread takes the locks of a space. A thread that holds one may take those
// below it, and no other; a thread that takes one out of order, or twice, ends the program with a
// sentence that names both, whether or not another thread is about to complete the cycle. So each
// test of the library is a test of the order.
//
//   kEvicting   Evictor: pages are on their way out of the cache
//   kSending    ChangeSender: held while changes are on their way, until they are acknowledged. A
//               thread makes progress meanwhile, for which handlers of messages run, and take:
//   kLocks      Locks: the queues of locks, and the threads that wait for them
//   kRaces      RaceFinder: what was written in the epoch
//   kHome       HomePages: which pages other ranks hold
//   kThreads    CommunicationThreads
//
// Three more things that threads wait for stand beside it:
//
//   Pages: a page in a passing state (page/page.h) is held by the thread that made it so, until
//   Done. A thread that holds kSending may hold pages, and send what was written to them; a thread
//   that waits for a page, or for a frame of memory for it, holds no lock, as the evictor needs
//   kSending to free one: Copies::FinishFaults ends the program otherwise. In a RaceFinder pages
//   come before kRaces.
//
//   Spin locks, of HeldPages, FramePool, PendingFetches, RaceFinder: handlers of faults take them,
//   so a thread that holds one touches no memory of the space and takes no other lock.
//
//   Locks of the user, as an lwt::Mutex: a waiter (SpaceOptions::waiter) runs where the library
//   holds no lock. The program's handlers of messages may run where kSending is held, so they take
//   no lock under which other threads touch the space, and wait for no page (never_waits.h).
//
// Threads: any.
#pragma once

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace dsm {

enum class LockLevel { kEvicting, kSending, kLocks, kRaces, kHome, kThreads };

namespace lock_order {

// Ends the program where the calling thread holds a lock of this level or below it.
void Acquire(LockLevel level);
void Release(LockLevel level);
// Ends the program where the calling thread holds any. `what`: "waits for a page".
void RequireNone(const char* what);

}  // namespace lock_order

// A resource: topo::Mutex with its place in the order. Not held at first.
template <LockLevel kLevel>
class ABSL_LOCKABLE OrderedMutex {
 public:
  OrderedMutex() = default;
  OrderedMutex(const OrderedMutex&) = delete;
  OrderedMutex& operator=(const OrderedMutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    lock_order::Acquire(kLevel);
    mutex_.Lock();
  }
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    mutex_.Unlock();
    lock_order::Release(kLevel);
  }

 private:
  topo::Mutex mutex_;
};

}  // namespace dsm
