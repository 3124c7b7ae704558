#include "lwt/worker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/pool.h"

namespace lwt {

[[gnu::used]] constinit thread_local Worker* lwt_current_worker = nullptr;

#if !defined(__x86_64__)
[[gnu::noinline]] Worker* Worker::Current() {
  asm volatile("");  // Not a function whose value may be kept.
  return lwt_current_worker;
}
#endif

void Worker::DieOfForeignCall(const char* call) {
  DieOfBrokenContract(
      absl::StrCat(call, " was called by ",
                   Current() == nullptr ? "an OS thread outside of pools"
                                        : "a policy, or by what Suspend calls",
                   ": a call that is for lightweight threads comes from one: Pool::Run starts the "
                   "first"),
      __FILE__, __LINE__);
}

int Worker::workers() const { return pool_.workers(); }

int Worker::RandomPeer() {
  const int others = workers() - 1;
  if (others == 0) return index_;
  const int chosen = static_cast<int>(Random(static_cast<std::uint32_t>(others)));
  return chosen < index_ ? chosen : chosen + 1;
}

std::int64_t Worker::queued() const {
  return std::max<std::int64_t>(0, const_cast<Scheduler&>(static_cast<const Scheduler&>(*this))
                                       .ready()
                                       .queue()
                                       .SizeSeenByThief());
}

const Counters& Worker::counters() const {
  return static_cast<const Scheduler*>(this)->activity().counters;
}

void Worker::Push(ReadyThread thread) {
  CheckContract(Current() == this, "Worker::Push is for that worker: others put (Victim::Put)");
  Descriptor* const pushed = ReadyThreads::Unwrap(std::move(thread));
  Scheduler& self = static_cast<Scheduler&>(*this);
  self.ready().CheckGiven(pushed, "Worker::Push");
  self.ready().PushOrPut(*pushed);
  self.ready().NotifyOthers();
}

ReadyThread Worker::Pop() {
  CheckContract(Current() == this, "Worker::Pop is for that worker: others take (Victim::Take)");
  Descriptor* const popped = static_cast<Scheduler&>(*this).ready().PopHead();
  return popped == nullptr ? ReadyThread() : ReadyThreads::Wrap(*popped);
}

}  // namespace lwt
