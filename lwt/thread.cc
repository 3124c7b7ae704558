#include "lwt/thread.h"

#include "lwt/contract.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {

void Thread::JoinSlowly(Descriptor& thread) {
  if (const std::exception_ptr error = JoinThread(thread)) std::rethrow_exception(error);
}

void Thread::DetachSlowly() {
  CheckContract(thread_ != nullptr, kEmpty);
  DetachThread(*std::exchange(thread_, nullptr));
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
