// lwt/queue/idle.h's own code under every interleaving of up to 3 preemptions (with one worker
// there is no bound): no work is left behind by workers that sleep.
#include <gtest/gtest.h>

#include <memory>

#include "lwt/queue/idle.h"
#include "tools/model/interleavings.h"
#include "tools/model/store_buffers.h"

namespace lwt {
namespace {

struct NoFence {
  static void Light() {}
  static void Heavy() {}
};

// A queue as far as idle.h knows one: how much was put in, how much was taken.
template <template <typename> class AtomicT, typename Fence>
struct Factory {
  // The only producer.
  void Produce(int items) {
    for (int i = 0; i < items; ++i) {
      published.Store(published.Load(std::memory_order_relaxed) + 1, std::memory_order_release);
      idle.Notify();
    }
  }
  bool HasWork() const {
    return taken.Load(std::memory_order_acquire) < published.Load(std::memory_order_acquire);
  }
  bool TryTake() {
    int have = taken.Load(std::memory_order_acquire);
    return have < published.Load(std::memory_order_acquire) &&
           taken.CompareExchange(have, have + 1, std::memory_order_acq_rel);
  }
  // A worker that takes one item and ends. If it is forgotten, it sleeps for ever.
  void Work() {
    idle.StartSearch();
    while (!TryTake()) idle.Sleep([this] { return HasWork(); }, 1);
    idle.EndSearch();
  }

  BasicIdle<AtomicT, Fence> idle;
  AtomicT<int> published{0};
  AtomicT<int> taken{0};
};

template <typename F>
model::Program Play(int workers) {
  auto factory = std::make_shared<F>();
  model::Program program;
  program.threads.push_back([=] { factory->Produce(workers); });
  for (int i = 0; i < workers; ++i) program.threads.push_back([=] { factory->Work(); });
  return program;
}

using PlainFactory = Factory<model::Atomic, NoFence>;

TEST(IdleModel, AWorkerNeverSleepsOnWorkThatIsThere) {
  const model::Outcome outcome = model::ExploreAll([] { return Play<PlainFactory>(1); });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
  EXPECT_GT(outcome.interleavings, 20);
}

TEST(IdleModel, TwoItemsKeepTwoWorkersAwake) {
  const model::Outcome outcome =
      model::ExploreAll([] { return Play<PlainFactory>(2); }, {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

template <typename Fence>
model::Outcome WithStoreBuffers() {
  return model::ExploreAll(
      [] { return model::WithStoreBuffers(Play<Factory<model::BufferedAtomic, Fence>>(1)); },
      {.preemptions = 3});
}

TEST(IdleUnderStoreBuffers, TwoFullFencesLeaveNoWorkBehind) {
  const model::Outcome outcome = WithStoreBuffers<model::BufferedFence>();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(IdleUnderStoreBuffers, AMembarrierOfTheSleeperAloneLeavesNoWorkBehind) {
  const model::Outcome outcome = WithStoreBuffers<model::BufferedMembarrier>();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(IdleUnderStoreBuffers, WithoutFencesAWorkerSleepsOnWork) {
  EXPECT_NE(WithStoreBuffers<NoFence>().failure, "");
}

// The protocol with one line wrong: the worker looks for work before it counts
// itself as a sleeper.
struct EarlyLook : PlainFactory {
  void Work() {
    while (!TryTake()) {
      if (HasWork()) continue;
      idle.StartSearch();
      idle.Sleep([] { return false; }, 1);
      idle.EndSearch();
    }
  }
};

TEST(IdleModel, AWorkerThatLooksBeforeItIsCountedIsCaught) {
  EXPECT_NE(model::ExploreAll([] { return Play<EarlyLook>(1); }).failure, "");
}

}  // namespace
}  // namespace lwt
