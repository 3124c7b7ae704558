#include "lwt/kernel/join.h"

#include "lwt/contract.h"
#include "lwt/kernel/owner.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/suspend.h"

namespace lwt {

std::exception_ptr JoinThread(Descriptor& thread, void** result) {
  Scheduler::OfPool(*thread.pool, "Join (or the destructor of a thread's handle)");
  thread.completion.CheckHeld();
  if (!thread.completion.IsDone()) {
    CheckContract(&thread != Scheduler::OfThread("Join").current(),
                  "a thread does not join itself");
    Owner::BeginJoin(thread);
    Suspend(
        "the end of a thread",
        [&thread](Suspended self) {
          if (!thread.completion.Wait(&self.descriptor())) self.Resume();
        },
        WokenBy::kThreads);
    Owner::EndJoin();
  }
  std::exception_ptr error = std::exchange(thread.error, nullptr);
  if (result != nullptr && error == nullptr) *result = thread.result;
  thread.completion.Forget();
  Scheduler::Here().cache().Free(thread);
  return error;
}

void DetachThread(Descriptor& thread) {
  Scheduler& scheduler = Scheduler::OfPool(*thread.pool, "Detach");
  DetachedThreads& detached = scheduler.shared().detached;
  thread.completion.CheckHeld();
  // Before Detach: from there on the thread may end, and count itself off.
  thread.pool_waits = true;
  detached.Add();
  if (thread.completion.Detach()) return;
  detached.Forget(thread);
  thread.completion.Forget();
  scheduler.cache().Free(thread);
}

}  // namespace lwt
