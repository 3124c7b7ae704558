#include "lwt/thread.h"

#include "lwt/contract.h"
#include "lwt/pool.h"
#include "lwt/suspend.h"
#include "lwt/wait/owner.h"
#include "lwt/worker.h"

namespace lwt {

std::exception_ptr Thread::WaitForEnd(Descriptor& thread, void** result) {
  Worker::OfPool(*thread.pool, "Join (or the destructor of a thread's handle)");
  thread.completion.CheckHeld();
  if (!thread.completion.IsDone()) {
    CheckContract(&thread != Worker::OfThread("Join").current(), "a thread does not join itself");
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
  Worker::Here().cache().Free(thread);
  return error;
}

void Thread::JoinSlowly(Descriptor& thread) {
  if (const std::exception_ptr error = WaitForEnd(thread)) std::rethrow_exception(error);
}

void Thread::DetachSlowly() {
  CheckContract(thread_ != nullptr, kEmpty);
  Worker& worker = Worker::OfPool(*thread_->pool, "Detach");
  Pool& pool = worker.pool();
  Descriptor& thread = *std::exchange(thread_, nullptr);
  thread.completion.CheckHeld();
  // Before Detach: from there on the thread may end, and count itself off.
  thread.pool_waits = true;
  pool.CountDetached(+1);
  if (thread.completion.Detach()) return;
  Worker::ForgetDetached(thread, pool);
  thread.completion.Forget();
  worker.cache().Free(thread);
}

bool Yield() { return Worker::Yield(); }

int WorkerIndex() {
  const Worker* const worker = Worker::Current();
  return worker == nullptr ? -1 : worker->index();
}

int Depth() { return static_cast<int>(Worker::OfThread().current()->depth); }

bool SetHintBytes(std::span<const std::byte> hint) {
  return Worker::OfThread().current()->SetHint(hint);
}

}  // namespace lwt
