// Two calls at once, at the price of a call: the second spawn tier.
//
//   lwt::ForkJoin([&] { a = Fib(n - 1); }, [&] { b = Fib(n - 2); });
//
// The second function becomes a record in the run queue, on the caller's stack,
// and the first is called. At the join the record is, as a rule, still there and
// is called too. A thief that takes it makes it a thread, and so does the caller's
// worker if the first function suspends; the caller then waits without holding up
// its worker. So a forked call may block like any thread.
//
// Threads: from lightweight threads only. Errors: throws what the first function
// threw, or else the second; if the first threw and the second had not begun, it
// is not called. Never fails for want of memory: then it calls both.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "lwt/kernel/owner.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/suspend.h"

namespace lwt {

// Waits for the end of a record that a thief or the caller's worker took. Not inlined: calls whose
// record is not taken stay small.
[[gnu::noinline]] inline void WaitFor(Record& record) {
  if (record.completion.IsDone()) return;
  Owner::BeginCall(record);
  Suspend(
      "a forked call",
      [&record](Suspended self) {
        if (!record.completion.Wait(&self.descriptor())) self.Resume();
      },
      WokenBy::kThreads);
  Owner::EndCall();
}

// `hint`: what thieves see beside the record (hint.h), at most eight bytes.
template <typename F, typename G, Hint T = NoHint>
void ForkJoin(F&& first, G&& second, T hint = T()) {
  struct GRecord : Record {
    std::remove_reference_t<G>* g = nullptr;
  } record;
  record.g = &second;
  record.run = [](Record& base) {
    try {
      (*static_cast<GRecord&>(base).g)();
    } catch (...) {
      base.error = std::current_exception();
    }
  };
  Scheduler* scheduler = &Scheduler::Here("ForkJoin");
  if (!scheduler->ready().MakeRoom("ForkJoin")) [[unlikely]] {
    std::forward<F>(first)();
    std::forward<G>(second)();
    return;
  }
  record.SetForker(*scheduler->current());
  const Entry entry = EntryOf(record, hint);
  scheduler->ready().queue().Push(entry);
  scheduler->ready().NotifyOfPush();
  try {
    std::forward<F>(first)();
  } catch (...) {
    if (!Scheduler::Current()->ready().queue().PopIf(entry.item)) WaitFor(record);
    throw;
  }
  // If this is another worker by now, the record is not at its head.
  scheduler = Scheduler::Current();
  if (scheduler->ready().queue().PopIf(entry.item)) [[likely]] {
    std::forward<G>(second)();
    return;
  }
  WaitFor(record);
  if (record.error != nullptr) std::rethrow_exception(record.error);
}

}  // namespace lwt
