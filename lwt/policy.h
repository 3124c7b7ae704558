// Where an idle worker looks for work: the user's part of the scheduler.
//
// A policy is a class with one function, called by a worker that has nothing to
// run. It may look at any victim (peek, no lock), take from one, or give up:
//
//   struct Shallowest {                    // chapter 4 of the paper
//     int candidates = 8;
//     lwt::ReadyThread Steal(lwt::Worker& self) {
//       int best = -1, best_depth = INT_MAX;
//       for (int i = 0; i < candidates; ++i) {
//         const int victim = self.RandomPeer();
//         const auto depth = self.victim(victim).Peek<int>();
//         if (depth && *depth < best_depth) best = victim, best_depth = *depth;
//       }
//       return self.victim(best < 0 ? self.RandomPeer() : best).Take();
//     }
//   };
//
// Each worker has a copy of its own, so members are state per worker and need no
// lock. A pool's policy is given at its creation and may be replaced while it
// runs (Pool::SetPolicy). The same object drives simulated workers.
//
// Source: [NNT13] section 3.3.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "lwt/ready_thread.h"

namespace lwt {

class Worker;

template <typename P>
concept StealPolicy = std::copy_constructible<P> && requires(P policy, Worker& self) {
  { policy.Steal(self) } -> std::same_as<ReadyThread>;
};

// A value that holds any policy; empty when default-made.
class AnyPolicy {
 public:
  AnyPolicy() = default;
  template <typename P>
  requires(!std::same_as<std::remove_cvref_t<P>, AnyPolicy> && StealPolicy<std::remove_cvref_t<P>>)
      AnyPolicy(P&& policy)  // NOLINT(google-explicit-constructor): a policy is one.
      : held_(std::make_unique<Held<std::remove_cvref_t<P>>>(std::forward<P>(policy))) {}

  AnyPolicy(const AnyPolicy& other) : held_(other.held_ ? other.held_->Copy() : nullptr) {}
  AnyPolicy(AnyPolicy&&) noexcept = default;
  AnyPolicy& operator=(AnyPolicy other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }

  explicit operator bool() const { return held_ != nullptr; }
  ReadyThread Steal(Worker& self) { return held_->Steal(self); }
  // Where a policy keeps threads of its own (mailboxes), its HasWork(self)
  // returns whether there is one; a worker asks before it sleeps.
  bool HasWork(Worker& self) { return held_->HasWork(self); }

 private:
  struct Holder {
    virtual ~Holder() = default;
    virtual ReadyThread Steal(Worker& self) = 0;
    virtual bool HasWork(Worker& self) = 0;
    virtual std::unique_ptr<Holder> Copy() const = 0;
  };
  template <typename P>
  struct Held final : Holder {
    explicit Held(P given) : policy(std::move(given)) {}
    ReadyThread Steal(Worker& self) override { return policy.Steal(self); }
    bool HasWork(Worker& self) override {
      if constexpr (requires { policy.HasWork(self); }) return policy.HasWork(self);
      return false;
    }
    std::unique_ptr<Holder> Copy() const override { return std::make_unique<Held>(policy); }
    P policy;
  };

  std::unique_ptr<Holder> held_;
};

// Lazy task creation's policy: one victim at random. The others that lwt ships are in
// policies.h.
struct RandomVictim {
  ReadyThread Steal(Worker& self);
};

}  // namespace lwt
