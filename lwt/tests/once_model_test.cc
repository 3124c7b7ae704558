// lwt/once.h under every interleaving of up to 5 preemptions (larger programs of fewer, down to 2).
#include <gtest/gtest.h>

#include <memory>

#include "lwt/once.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

// Each thread calls once; the first `failures` calls of the function throw.
template <template <typename> class AtomicT, typename Waiter>
model::Program CallByEach(int threads, int failures) {
  struct State {
    BasicOnce<AtomicT, BasicMutex<AtomicT, Waiter>> once;
    int inside = 0, calls = 0, thrown = 0;
  };
  auto state = std::make_shared<State>();
  model::Program program;
  for (int i = 0; i < threads; ++i) {
    program.threads.push_back([=] {
      try {
        state->once.Call([=] {
          model::Require(++state->inside == 1, "one call is made at a time");
          model::Step();
          --state->inside;
          if (state->calls++ < failures) throw state->calls;
        });
        model::Require(state->calls == failures + 1 && state->inside == 0,
                       "a Call returns when a call of the function has returned");
        model::Require(state->once.IsDone(), "it is done then");
      } catch (int) {
        ++state->thrown;
      }
    });
  }
  program.check = [=] {
    model::Require(state->thrown == failures,
                   "who calls a function that throws gets what it threw");
    model::Require(state->calls == failures + 1, "one call returns");
  };
  return program;
}

TEST(OnceModel, OneCallReturnsBeforeEachCallOfTheOthersDoes) {
  ExpectHolds([] { return CallByEach<model::Atomic, ModelWaiter>(2, 0); }, {.preemptions = 5});
  ExpectHolds([] { return CallByEach<model::Atomic, ModelWaiter>(3, 0); }, {.preemptions = 2});
  ExpectHolds([] { return CallByEach<model::Atomic, ModelOsWaiter>(2, 0); }, {.preemptions = 3});
}

TEST(OnceModel, AfterACallThatThrowsAnotherThreadTries) {
  ExpectHolds([] { return CallByEach<model::Atomic, ModelWaiter>(2, 1); }, {.preemptions = 5});
  ExpectHolds([] { return CallByEach<model::Atomic, ModelWaiter>(3, 2); }, {.preemptions = 2});
  ExpectHolds([] { return CallByEach<model::Atomic, ModelOsWaiter>(2, 1); }, {.preemptions = 3});
}

TEST(OnceModel, AMutexWhoseReadModifyWritesAreTornIsCaught) {
  ExpectCaught([] { return CallByEach<TornAtomic, ModelWaiter>(2, 0); }, {.preemptions = 3});
}

}  // namespace
}  // namespace lwt
