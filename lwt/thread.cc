#include "lwt/thread.h"

#include "lwt/contract.h"
#include "lwt/kernel/owner.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/suspend.h"

namespace lwt {

std::exception_ptr Thread::WaitForEnd(Descriptor& thread, void** result) {
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
  if (result != nullptr) *result = thread.result;
  thread.completion.Forget();
  Scheduler::Here().cache().Free(thread);
  return error;
}

void Thread::JoinSlowly(Descriptor& thread) {
  if (const std::exception_ptr error = WaitForEnd(thread)) std::rethrow_exception(error);
}

void Thread::DetachSlowly() {
  CheckContract(thread_ != nullptr, kEmpty);
  Scheduler& scheduler = Scheduler::OfPool(*thread_->pool, "Detach");
  PoolShared& pool = scheduler.shared();
  Descriptor& thread = *std::exchange(thread_, nullptr);
  thread.completion.CheckHeld();
  // Before Detach: from there on the thread may end, and count itself off.
  thread.pool_waits = true;
  pool.detached.Add();
  if (thread.completion.Detach()) return;
  pool.detached.Forget(thread);
  thread.completion.Forget();
  scheduler.cache().Free(thread);
}

bool Yield() { return Switcher::Yield(); }

int WorkerIndex() {
  const Worker* const worker = Worker::Current();
  return worker == nullptr ? -1 : worker->index();
}

int Depth() { return static_cast<int>(Scheduler::OfThread().current()->depth); }

bool SetHintBytes(std::span<const std::byte> hint) {
  return Scheduler::OfThread().current()->SetHint(hint);
}

}  // namespace lwt
