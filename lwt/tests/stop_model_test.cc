// Waits with a std::stop_token, under every interleaving of up to 3 preemptions (larger programs of
// fewer, down to 2; one program has no bound): condition_variable.h, event.h and channel.h with a
// stop request that may come between any two steps.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "lwt/channel.h"
#include "lwt/condition_variable.h"
#include "lwt/event.h"
#include "lwt/mutex.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

// As a std::stop_source, whose callbacks would wait for each other outside of the model. One a run.
class ModelStop {
 public:
  // As a std::stop_callback.
  class Callback {
   public:
    explicit Callback(std::function<void()> run) : run_(std::move(run)) {
      if (newest->source_.stop_requested()) {
        run_();
      } else {
        newest->callbacks_.push_back(this);
      }
    }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;
    ~Callback() {
      try {  // In a run that has failed every step throws.
        std::erase(newest->callbacks_, this);
        while (newest->running_ == this) model::Sleep(this);
      } catch (...) {
      }
    }

   private:
    friend ModelStop;
    std::function<void()> run_;
  };

  ModelStop() { newest = this; }

  std::stop_token token() const { return source_.get_token(); }

  void Request() {
    model::Step();
    source_.request_stop();
    while (!callbacks_.empty()) {
      running_ = callbacks_.back();
      callbacks_.pop_back();
      model::Step();
      running_->run_();
      model::Step();
      model::Wake(std::exchange(running_, nullptr));
    }
  }

 private:
  static inline ModelStop* newest = nullptr;

  std::stop_source source_;
  std::vector<Callback*> callbacks_;
  Callback* running_ = nullptr;
};

}  // namespace

// As lightweight threads, whose stop is requested by a thread of the model.
struct StoppedThreads : ModelThreads {};

template <template <typename> class AtomicT, typename GiveUp>
ModelStop::Callback WakeOnStop(const std::stop_token&, BasicWaiter<AtomicT, StoppedThreads>& self,
                               GiveUp give_up) {
  return ModelStop::Callback([&self, give_up] {
    if (give_up()) self.Wake();
  });
}

namespace {

template <template <typename> class AtomicT>
using Waiting = BasicWaiter<AtomicT, StoppedThreads>;
template <template <typename> class AtomicT>
using Condition = BasicConditionVariable<AtomicT, Waiting<AtomicT>>;

// In a run that has failed every step throws, and the destructor of a lock must not.
struct ModelMutex : BasicMutex<model::Atomic, Waiting<model::Atomic>> {
  void Unlock() {
    try {
      BasicMutex::Unlock();
    } catch (...) {
    }
  }
  void unlock() { Unlock(); }
};

// A stop and a notify come to one waiter.
template <template <typename> class AtomicT>
model::Program StopAndFill() {
  struct State {
    ModelStop stop;
    ModelMutex mutex;
    Condition<AtomicT> changed;
    bool full = false;
  };
  auto state = std::make_shared<State>();
  return {{[=] {
             state->mutex.Lock();
             const bool saw = state->changed.Wait(state->mutex, state->stop.token(),
                                                  [&] { return state->full; });
             model::Require(saw == state->full, "it returns what the predicate returned last");
             model::Require(saw || state->stop.token().stop_requested(), "stop or full");
             state->mutex.Unlock();
           },
           [=] { state->stop.Request(); },
           [=] {
             state->mutex.Lock();
             state->full = true;
             state->mutex.Unlock();
             state->changed.NotifyOne();
           }}};
}

TEST(StopModel, AStopAndANotifyWakeAWaiterOnce) {
  ExpectHolds(StopAndFill<model::Atomic>, {.preemptions = 3});
}

TEST(StopModel, AConditionWhoseReadModifyWritesAreTornIsCaught) {
  ExpectCaught(StopAndFill<TornAtomic>, {.preemptions = 3});
}

TEST(StopModel, AStopAloneWakesAWaiter) {
  ExpectHolds([] {
    struct State {
      ModelStop stop;
      ModelMutex mutex;
      Condition<model::Atomic> changed;
    };
    auto state = std::make_shared<State>();
    return model::Program{{[=] {
                             state->mutex.Lock();
                             model::Require(!state->changed.Wait(state->mutex, state->stop.token(),
                                                                 [] { return false; }),
                                            "it is never true");
                             state->mutex.Unlock();
                           },
                           [=] { state->stop.Request(); }}};
  });
}

// One of two waiters is stopped, and hands on what it has got in spite of that: the other would
// wait for ever if the stop had spent its notify.
TEST(StopModel, AStopSpendsNoNotify) {
  ExpectHolds(
      [] {
        struct State {
          ModelStop stop;
          ModelMutex mutex;
          Condition<model::Atomic> changed;
          bool full = false;
        };
        auto state = std::make_shared<State>();
        return model::Program{{[=] {
                                 state->mutex.Lock();
                                 const bool saw =
                                     state->changed.Wait(state->mutex, state->stop.token(),
                                                         [&] { return state->full; });
                                 state->mutex.Unlock();
                                 if (saw) state->changed.NotifyOne();
                               },
                               [=] {
                                 state->mutex.Lock();
                                 state->changed.Wait(state->mutex, [&] { return state->full; });
                                 state->mutex.Unlock();
                               },
                               [=] {
                                 state->mutex.Lock();
                                 state->full = true;
                                 state->mutex.Unlock();
                                 state->changed.NotifyOne();
                                 state->stop.Request();
                               }}};
      },
      {.preemptions = 2});
}

// Two wait for an event, and both are stopped.
model::Program StopAndSet() {
  struct State {
    ModelStop stop;
    BasicEvent<model::Atomic, Waiting<model::Atomic>> event;
    bool set = false;
  };
  auto state = std::make_shared<State>();
  const auto wait = [=] {
    if (state->event.Wait(state->stop.token())) {
      model::Require(state->set, "it is set by Set");
    } else {
      model::Require(state->stop.token().stop_requested(), "stop or set");
    }
  };
  return {{wait, wait, [=] { state->stop.Request(); },
           [=] {
             state->set = true;
             state->event.Set();
           }}};
}

TEST(StopModel, AStopAndASetWakeEachWaiterOfAnEventOnce) {
  ExpectHolds(StopAndSet, {.preemptions = 2});
}

TEST(StopModel, AnItemIsReceivedOrLeftInTheChannel) {
  ExpectHolds(
      [] {
        struct State {
          ModelStop stop;
          BasicChannel<int, ModelMutex, Condition<model::Atomic>> channel{1};
          int sent = 0, received = 0;
        };
        auto state = std::make_shared<State>();
        return model::Program{{[=] {
                                 while (state->channel.Receive(state->stop.token()))
                                   ++state->received;
                               },
                               [=] {
                                 for (int i = 0; i < 2; ++i) {
                                   if (state->channel.Send(i, state->stop.token()) == Sent::kSent)
                                     ++state->sent;
                                 }
                               },
                               [=] { state->stop.Request(); }},
                              [=] {
                                while (state->channel.TryReceive()) ++state->received;
                                model::Require(state->received == state->sent, "no item is lost");
                              }};
      },
      {.preemptions = 2});
}

}  // namespace
}  // namespace lwt
