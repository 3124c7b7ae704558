// lwt/reactor/operation.h's own code under every interleaving of up to 2 preemptions (larger
// programs of fewer, down to 1; one part without a deadline has no bound): a call has one end, and
// none of its parts completes after it.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

#include "lwt/reactor/operation.h"
#include "lwt/tests/model_threads.h"
#include "topo/spin_lock.h"

namespace lwt {
namespace {

// Of how many interleavings ended so.
struct Ends {
  int in_time = 0, late = 0;
  int cancelled = 0;  // where a part was left
  int repeated = 0;   // where one was left after its cancellation, too
};

template <template <typename> class AtomicT>
struct Call {
  using Operation = BasicOperation<AtomicT, ModelWaiter>;

  Call(std::uint32_t parts, Ends& ends)
      : operation(std::make_unique<Operation>(parts)), ends(ends) {}

  // The kernel, once for each part and each cancellation. A completion that comes after the
  // thread has gone would touch what is not there.
  void Complete() {
    model::Require(operation != nullptr, "the thread is there until all parts have completed");
    ++completed;
    operation->Complete();
  }
  // As the pool's timers: the thread that waited takes their lock before it goes on.
  void Deadline() {
    timers_lock.Lock();
    was_late = is_timed && operation->GiveUp();
    timers_lock.Unlock();
    if (was_late) operation->first.Wake();
  }
  void WaitForFirst() {
    operation->first.Wait("I/O");
    if (!is_timed) return;
    timers_lock.Lock();
    is_timed = false;
    timers_lock.Unlock();
  }
  // The time of the first cancellations is over as soon as the thread waits for them.
  void Wait(std::uint32_t parts) {
    WaitForFirst();
    ++(was_late ? ends.late : ends.in_time);
    std::uint32_t rounds = 0;
    while (operation->IsAnyLeft()) {
      operation->Expect(parts);
      Ask(rounds++, kCancellations);
      if (operation->Leave()) break;
      if (rounds == 1 && operation->Return()) continue;
      operation->last.Wait("I/O");
      break;
    }
    model::Require(completed == parts * (1 + rounds), "all have completed");
    operation = nullptr;
    if (rounds < asked.size()) Ask(rounds, kNoMore);
    ends.cancelled += rounds > 0;
    ends.repeated += rounds > 1;
  }
  void Ask(std::uint32_t round, int what) {
    asked[round].Store(what, std::memory_order_release);
    asked[round].WakeAll();
  }
  // The kernel's thread.
  void AnswerCancellations(std::uint32_t parts) {
    for (const model::Atomic<int>& round : asked) {
      round.WaitWhile(0);
      if (round.Load(std::memory_order_acquire) == kNoMore) return;
      for (std::uint32_t i = 0; i < parts; ++i) Complete();
    }
  }

  static constexpr int kCancellations = 1, kNoMore = 2;
  std::unique_ptr<Operation> operation, kept;
  Ends& ends;
  std::uint32_t completed = 0;
  topo::BasicSpinLock<model::Atomic> timers_lock;
  bool is_timed = false;  // Is there a deadline to come?
  bool was_late = false;
  std::array<model::Atomic<int>, 2> asked;  // in each round
};

enum class Until { kCompletion, kDeadline };

template <template <typename> class AtomicT>
model::Program ManyParts(std::uint32_t parts, Until until, Ends& ends) {
  auto call = std::make_shared<Call<AtomicT>>(parts, ends);
  model::Program program;
  program.threads.push_back([=] { call->Wait(parts); });
  program.threads.push_back([=] { call->AnswerCancellations(parts); });
  for (std::uint32_t i = 0; i < parts; ++i) program.threads.push_back([=] { call->Complete(); });
  if (until == Until::kDeadline) {
    call->is_timed = true;
    program.threads.push_back([=] { call->Deadline(); });
  }
  program.check = [=] { model::Require(call->operation == nullptr, "the thread has gone on"); };
  return program;
}

// Holds; and how the interleavings ended.
Ends ExpectOneEnd(std::uint32_t parts, Until until, const model::Limits& limits = {}) {
  Ends ends;
  ExpectHolds([&] { return ManyParts<model::Atomic>(parts, until, ends); }, limits);
  return ends;
}

TEST(OperationModel, AThreadGoesOnOnceItsOperationHasCompleted) {
  const Ends ends = ExpectOneEnd(1, Until::kCompletion);
  EXPECT_GT(ends.in_time, 0);
  EXPECT_EQ(ends.cancelled, 0);
}

TEST(OperationModel, ADeadlineAndACompletionThatMeetEndACallOnce) {
  const Ends ends = ExpectOneEnd(1, Until::kDeadline, {.preemptions = 2});
  EXPECT_GT(ends.in_time, 0);
  EXPECT_GT(ends.late, 0);
  EXPECT_GT(ends.cancelled, 0);
  EXPECT_LT(ends.cancelled, ends.late) << "it may have completed meanwhile";
  EXPECT_GT(ends.repeated, 0);
}

TEST(OperationModel, TheFirstOfTwoPartsWakesTheThreadWhichLeavesAfterTheLast) {
  const Ends ends = ExpectOneEnd(2, Until::kCompletion, {.preemptions = 2});
  EXPECT_GT(ends.in_time, 0);
  EXPECT_EQ(ends.late, 0);
  EXPECT_GT(ends.cancelled, 0);
  EXPECT_GT(ends.repeated, 0);
}

TEST(OperationModel, TwoPartsAndADeadlineEndACallOnce) {
  const Ends ends = ExpectOneEnd(2, Until::kDeadline, {.preemptions = 1});
  EXPECT_GT(ends.in_time, 0);
  EXPECT_GT(ends.late, 0);
  EXPECT_GT(ends.cancelled, 0);
  EXPECT_GT(ends.repeated, 0);
}

TEST(OperationModel, StepsThatAreNotAtomicAreCaught) {
  Ends ends;
  ExpectCaught([&] { return ManyParts<TornAtomic>(1, Until::kDeadline, ends); },
               {.preemptions = 4});
}

// As BasicOperation, but a thread whose deadline came goes on at once. The memory stays, so that no
// sanitizer sees it first.
TEST(OperationModel, AThreadThatDoesNotWaitForItsPartsIsCaught) {
  Ends ends;
  ExpectCaught(
      [&] {
        auto call = std::make_shared<Call<model::Atomic>>(1, ends);
        call->is_timed = true;
        return model::Program{{[=] {
                                 call->WaitForFirst();
                                 call->kept = std::move(call->operation);
                               },
                               [=] { call->Complete(); }, [=] { call->Deadline(); }}};
      },
      {.preemptions = 4});
}

}  // namespace
}  // namespace lwt
