// lwt/threads/completion.h's own code under every interleaving, without a bound on preemptions.
#include <gtest/gtest.h>

#include <memory>

#include "lwt/threads/completion.h"
#include "tools/model/interleavings.h"

namespace lwt {
namespace {

struct Waiter {
  alignas(8) bool resumed = false;
};
using Completion = BasicCompletion<model::Atomic, Waiter>;

// A thread that ends, and one that joins it or lets it go. Memory is freed by
// exactly one of them, after both are done with it.
struct Pair {
  Completion completion;
  Waiter waiter;
  int result = 0;
  int freed = 0;

  void End() {
    result = 42;
    const Completion::Found found = completion.Finish();
    if (found.waiter != nullptr) {
      model::Require(found.waiter == &waiter, "the waiter that came is found");
      model::Require(!found.waiter->resumed, "it is resumed once");
      found.waiter->resumed = true;
    }
    if (found.detached) ++freed;
  }
};

TEST(CompletionModel, AJoinerThatSuspendsIsResumedExactlyOnceAndSeesTheResult) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto pair = std::make_shared<Pair>();
    auto suspended = std::make_shared<bool>(false);
    return model::Program{{[=] { pair->End(); },
                           [=] {
                             if (pair->completion.IsDone()) {
                               model::Require(pair->result == 42,
                                              "done means that the result is there");
                               return;
                             }
                             *suspended = pair->completion.Wait(&pair->waiter);
                           }},
                          [=] {
                            model::Require(pair->waiter.resumed == *suspended,
                                           "who suspended was resumed, and nobody else");
                            model::Require(pair->completion.IsDone() != *suspended,
                                           "it has ended, for who may still wait for it");
                            model::Require(pair->completion.IsHeld() != *suspended,
                                           "whom somebody waited for nobody else does");
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(CompletionModel, AThreadThatIsDetachedIsFreedExactlyOnce) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto pair = std::make_shared<Pair>();
    return model::Program{{[=] { pair->End(); },
                           [=] {
                             if (pair->completion.Detach()) return;
                             pair->completion.Forget();
                             ++pair->freed;
                           }},
                          [=] {
                            model::Require(pair->freed == 1, "freed once");
                            model::Require(!pair->completion.IsHeld(), "nobody holds it");
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

}  // namespace
}  // namespace lwt
