// lwt/reactor/operation.h's own code under every interleaving: a call has one end, and none of its
// parts completes after it.
#include <gtest/gtest.h>

#include <memory>

#include "lwt/reactor/operation.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

template <template <typename> class AtomicT>
struct Call {
  using Operation = BasicOperation<AtomicT, ModelWaiter>;

  explicit Call(std::uint32_t parts) : operation(std::make_unique<Operation>(parts)) {}

  // The kernel, once for each part and each cancellation. A completion that comes after the
  // thread has gone would touch what is not there.
  void Complete() {
    model::Require(operation != nullptr, "the thread is there until all parts have completed");
    ++completed;
    operation->Complete();
  }
  void Deadline() {
    if (operation == nullptr || !operation->GiveUp()) return;
    was_late = true;
    operation->first.Wake();
  }
  // `cancelled`: how often a cancellation was asked for; the kernel's thread answers.
  void Wait(std::uint32_t parts) {
    operation->first.Wait("I/O");
    const bool was_any_left = operation->IsAnyLeft();
    if (was_any_left) {
      operation->Expect(parts);
      cancellations.Store(parts, std::memory_order_release);
    }
    asked.Store(1, std::memory_order_release);
    asked.WakeAll();
    if (!operation->Leave()) operation->last.Wait("I/O");
    model::Require(completed == parts + (was_any_left ? parts : 0), "all have completed");
    operation = nullptr;
  }
  void AnswerCancellations() {
    asked.WaitWhile(0);
    for (std::uint32_t left = cancellations.Load(std::memory_order_acquire); left > 0; --left) {
      Complete();
    }
  }

  std::unique_ptr<Operation> operation;
  std::uint32_t completed = 0;
  bool was_late = false;
  model::Atomic<int> asked{0};
  model::Atomic<std::uint32_t> cancellations{0};
};

template <template <typename> class AtomicT>
model::Program ManyParts(std::uint32_t parts, bool with_deadline) {
  auto call = std::make_shared<Call<AtomicT>>(parts);
  model::Program program;
  program.threads.push_back([=] { call->Wait(parts); });
  program.threads.push_back([=] { call->AnswerCancellations(); });
  for (std::uint32_t i = 0; i < parts; ++i) program.threads.push_back([=] { call->Complete(); });
  if (with_deadline) program.threads.push_back([=] { call->Deadline(); });
  program.check = [=] { model::Require(call->operation == nullptr, "the thread has gone on"); };
  return program;
}

TEST(OperationModel, AThreadGoesOnOnceItsOperationHasCompleted) {
  ExpectHolds([] { return ManyParts<model::Atomic>(1, false); });
}

TEST(OperationModel, ADeadlineAndACompletionThatMeetEndACallOnce) {
  ExpectHolds([] { return ManyParts<model::Atomic>(1, true); }, {.preemptions = 3});
}

TEST(OperationModel, TheFirstOfTwoPartsWakesTheThreadWhichLeavesAfterTheLast) {
  ExpectHolds([] { return ManyParts<model::Atomic>(2, false); }, {.preemptions = 3});
}

TEST(OperationModel, TwoPartsAndADeadlineEndACallOnce) {
  ExpectHolds([] { return ManyParts<model::Atomic>(2, true); }, {.preemptions = 1});
}

TEST(OperationModel, StepsThatAreNotAtomicAreCaught) {
  ExpectCaught([] { return ManyParts<TornAtomic>(1, true); }, {.preemptions = 4});
}

// As BasicOperation, but a thread whose deadline came goes on at once.
TEST(OperationModel, AThreadThatDoesNotWaitForItsPartsIsCaught) {
  ExpectCaught(
      [] {
        auto call = std::make_shared<Call<model::Atomic>>(1);
        return model::Program{{[=] {
                                 call->operation->first.Wait("I/O");
                                 call->operation = nullptr;
                               },
                               [=] { call->Complete(); }, [=] { call->Deadline(); }}};
      },
      {.preemptions = 4});
}

}  // namespace
}  // namespace lwt
