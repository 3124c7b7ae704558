// Who holds a lock, and who is next: the rule by which a lock's home serves those who ask.
//
//   free --Request--> held --Release--> held by the next, or free
//                     held --Lose(holder)--> held by the next, who learns of it; or free, and who
//                     comes next does
//
// First come, first served: nobody is served twice while somebody else waits. A rank that is gone
// waits for nothing any more, and what it asks then, as messages are late, is not heard.
//
// Pure. Threads: one at a time. tests/lock_queue_model_test.cc tries all sequences of a few
// requests, releases and losses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

namespace dsm {

// A value.
class LockQueue {
 public:
  static constexpr int kNobody = -1;

  // A thread that asks: of which rank, and the rank's own number of the request, never used twice.
  struct Asker {
    int rank = 0;
    std::uint64_t number = 0;
    friend bool operator==(const Asker&, const Asker&) = default;
  };
  // It has the lock from here on.
  struct Grant {
    Asker to;
    int dead_holder = kNobody;        // the rank that held it before and is gone
    std::uint64_t served_before = 0;  // grants between its request and this one
  };

  // Each returns who gets the lock by it, if anybody does.
  std::optional<Grant> Request(const Asker& asker) {
    if (lost_.contains(asker.rank)) return std::nullopt;
    waiting_.push_back({asker, grants_});
    return Next();
  }
  // By who holds it; by others it does nothing.
  std::optional<Grant> Release(const Asker& asker) {
    if (holder_ != asker) return std::nullopt;
    holder_.reset();
    return Next();
  }
  // The rank is gone.
  std::optional<Grant> Lose(int rank) {
    lost_.insert(rank);
    std::erase_if(waiting_, [&](const Waiter& waiter) { return waiter.asker.rank == rank; });
    if (!holder_ || holder_->rank != rank) return std::nullopt;
    dead_holder_ = rank;
    holder_.reset();
    return Next();
  }

  const std::optional<Asker>& holder() const { return holder_; }

 private:
  struct Waiter {
    Asker asker;
    std::uint64_t grants_then = 0;
  };

  std::optional<Grant> Next() {
    if (holder_ || waiting_.empty()) return std::nullopt;
    const Waiter next = waiting_.front();
    waiting_.pop_front();
    holder_ = next.asker;
    const Grant grant = {next.asker, dead_holder_, grants_ - next.grants_then};
    dead_holder_ = kNobody;
    ++grants_;
    return grant;
  }

  std::optional<Asker> holder_;
  std::deque<Waiter> waiting_;
  std::set<int> lost_;
  int dead_holder_ = kNobody;  // until somebody was told
  std::uint64_t grants_ = 0;
};

}  // namespace dsm
