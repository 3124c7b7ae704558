// Threads of the interleaving explorer as waiters (lwt/waiter.h), and
// atomics that are broken on purpose: a model that does not catch them is none.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "lwt/timer.h"
#include "lwt/waiter.h"
#include "tools/model/interleavings.h"

namespace lwt {

// As lightweight threads: suspended first, then made known; resumed once.
struct ModelThreads {
  class Suspended {
   public:
    Suspended() = default;
    explicit Suspended(int* resumed) : resumed_(resumed) {}
    void Resume() const {
      model::Require(++*resumed_ == 1, "a suspended thread is resumed once");
      model::Wake(resumed_);
    }

   private:
    int* resumed_ = nullptr;
  };
  static bool CanSuspend() { return true; }
  template <typename Then>
  static void Suspend(const char* /*why*/, Then then, WokenBy /*by*/) {
    int resumed = 0;
    then(Suspended(&resumed));
    while (resumed == 0) model::Sleep(&resumed);
  }
};

// As OS threads outside of pools: they sleep in the kernel.
struct ModelOsThreads : ModelThreads {
  static bool CanSuspend() { return false; }
};

// As lightweight threads, whose deadlines come as soon as they wait.
struct ImpatientThreads : ModelThreads {};

template <template <typename> class AtomicT, typename GiveUp>
bool WakeOrDeadline(BasicWaiter<AtomicT, ImpatientThreads>& self, Deadline, const char* why,
                    GiveUp give_up) {
  if (give_up()) return true;
  self.Wait(why);
  return false;
}

// Its read-modify-writes are a read and a write, with room for others between.
template <typename T>
class TornAtomic : public model::Atomic<T> {
 public:
  using model::Atomic<T>::Atomic;
  T FetchAdd(T amount, std::memory_order order) {
    const T before = this->Load(order);
    this->Store(before + amount, order);
    return before;
  }
  T Exchange(T value, std::memory_order order) {
    const T before = this->Load(order);
    this->Store(value, order);
    return before;
  }
  bool CompareExchange(T& expected, T value, std::memory_order order) {
    const T before = this->Load(order);
    if (before != expected) {
      expected = before;
      return false;
    }
    this->Store(value, order);
    return true;
  }
};

using ModelWaiter = BasicWaiter<model::Atomic, ModelThreads>;
using ModelOsWaiter = BasicWaiter<model::Atomic, ModelOsThreads>;

inline void ExpectHolds(const std::function<model::Program()>& make,
                        const model::Limits& limits = {}) {
  const model::Outcome outcome = model::ExploreAll(make, limits);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
  EXPECT_GT(outcome.interleavings, 1);
  testing::Test::RecordProperty("interleavings", std::to_string(outcome.interleavings));
}

inline void ExpectCaught(const std::function<model::Program()>& make,
                         const model::Limits& limits = {}) {
  EXPECT_NE(model::ExploreAll(make, limits).failure, "");
}

}  // namespace lwt
