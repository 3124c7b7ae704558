#include "lwt/ready_thread.h"

#include "lwt/contract.h"
#include "lwt/pool.h"

namespace lwt {

void ReadyThread::Drop(Descriptor& thread) {
  if (thread.drop == nullptr) {
    DieOfLostThread(thread.shown_name(), thread.depth);
  }
  Pool& pool = thread.last->pool();
  // The pool may wait for this thread's end only, and be gone with it.
  const auto counted = pool.outside_.Wakes();
  std::exchange(thread.drop, nullptr)(thread);
  thread.error = std::make_exception_ptr(Dropped());
  pool.TakeBack(*std::exchange(thread.stack, nullptr));
  const auto found = thread.completion.Finish();
  if (found.waiter != nullptr) ReadyThreads::MakeReady(*found.waiter);
  if (found.detached) {
    thread.error = nullptr;
    pool.detached_.Forget(thread);
    pool.TakeBack(thread);
  }
}

}  // namespace lwt
