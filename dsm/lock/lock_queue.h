// The holder of a lock, and the next: the rule by which a lock's home serves requests of ranks.
//
//   free --Request--> held --Release--> held by the next, or free
//                     held --Lose(holder)--> held by the next, or free
//
// A holder that is lost, or that says at its release that its changes are not all at home, leaves
// what the lock protects inconsistent: the next grant, now or later, says so, and only that.
//
// First come, first served: no rank is served twice while another waits. A rank that is gone
// waits for nothing any more, and what it asks then, as messages are late, is not heard.
//
// Pure. Threads: one at a time. tests/lock_queue_model_test.cc tries all sequences of a few
// requests, releases and losses.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

namespace dsm {

// A value.
class LockQueue {
 public:
  static constexpr int kNobody = -1;

  // A request: its rank, and the number that the rank gave it, never used twice.
  struct Asker {
    int rank = 0;
    std::uint64_t number = 0;
    friend auto operator<=>(const Asker&, const Asker&) = default;
  };
  // It has the lock from here on.
  struct Grant {
    Asker to;
    int left_inconsistent_by = kNobody;  // the rank that held it before
    std::uint64_t served_before = 0;     // grants between its request and this one
  };

  // Each returns the grant that follows from it, if one does.
  std::optional<Grant> Request(const Asker& asker) {
    if (lost_.contains(asker.rank)) return std::nullopt;
    waiting_.push_back({asker, grants_});
    return Next();
  }
  // By the holder; by others it does nothing.
  std::optional<Grant> Release(const Asker& asker, int left_inconsistent_by = kNobody) {
    if (holder_ != asker) return std::nullopt;
    if (left_inconsistent_by != kNobody) left_inconsistent_by_ = left_inconsistent_by;
    holder_.reset();
    return Next();
  }
  // The rank is gone.
  std::optional<Grant> Lose(int rank) {
    lost_.insert(rank);
    std::erase_if(waiting_, [&](const Waiter& waiter) { return waiter.asker.rank == rank; });
    if (!holder_ || holder_->rank != rank) return std::nullopt;
    left_inconsistent_by_ = rank;
    holder_.reset();
    return Next();
  }

  const std::optional<Asker>& holder() const { return holder_; }
  friend auto operator<=>(const LockQueue&, const LockQueue&) = default;

 private:
  struct Waiter {
    Asker asker;
    std::uint64_t grants_then = 0;
    friend auto operator<=>(const Waiter&, const Waiter&) = default;
  };

  std::optional<Grant> Next() {
    if (holder_ || waiting_.empty()) return std::nullopt;
    const Waiter next = waiting_.front();
    waiting_.pop_front();
    holder_ = next.asker;
    const Grant grant = {next.asker, left_inconsistent_by_, grants_ - next.grants_then};
    left_inconsistent_by_ = kNobody;
    ++grants_;
    return grant;
  }

  std::optional<Asker> holder_;
  std::deque<Waiter> waiting_;
  std::set<int> lost_;
  int left_inconsistent_by_ = kNobody;  // until a grant says so
  std::uint64_t grants_ = 0;
};

}  // namespace dsm
