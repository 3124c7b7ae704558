// How many operations of each kind a rank has asked for, how many were refused or failed, and why:
// for EndpointOptions::prints_counts. Other endpoints have no counters.
//
// Threads: any, all members. Each thread counts in a place of its own, as far as there are places.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "llcl/completion.h"
#include "llcl/executor/counts_line.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/thread_number.h"
#include "topo/atomic.h"

namespace llcl {

enum class Counted : std::uint8_t { kRead, kWrite, kAtomic, kMessage, kAnswer, kCollective };

// A resource.
class OperationCounters {
 public:
  OperationCounters() = default;
  OperationCounters(const OperationCounters&) = delete;
  OperationCounters& operator=(const OperationCounters&) = delete;

  // A request and the result. A request that is tried again and again counts as often.
  void Count(Counted kind, std::uint64_t bytes, Posted posted) {
    Place& place = Mine();
    if (posted != Posted::kPosted && posted != Posted::kDone) {
      Add(place.refused[static_cast<std::size_t>(posted)]);
      return;
    }
    Add(place.operations[static_cast<std::size_t>(kind)]);
    if (bytes > 0) Add(place.bytes[static_cast<std::size_t>(kind)], bytes);
  }
  // An operation has ended.
  void CountEnd(Outcome outcome) {
    if (outcome != Outcome::kDone) Add(Mine().failed[static_cast<std::size_t>(outcome)]);
  }

  std::vector<CountedKind> accepted() const {
    constexpr const char* kNames[kKinds] = {"read",    "write",  "atomic",
                                            "message", "answer", "collective"};
    std::vector<CountedKind> kinds;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      kinds.push_back({kNames[kind],
                       Sum([&](const Place& place) -> auto& { return place.operations[kind]; }),
                       Sum([&](const Place& place) -> auto& { return place.bytes[kind]; })});
    }
    return kinds;
  }
  std::vector<CountedReason> refused() const {
    std::vector<CountedReason> reasons;
    for (std::size_t posted = 0; posted < kPosteds; ++posted) {
      reasons.push_back({ToString(static_cast<Posted>(posted)),
                         Sum([&](const Place& place) -> auto& { return place.refused[posted]; })});
    }
    return reasons;
  }
  std::vector<CountedReason> failed() const {
    std::vector<CountedReason> reasons;
    for (std::size_t outcome = 0; outcome < kOutcomes; ++outcome) {
      reasons.push_back({ToString(static_cast<Outcome>(outcome)),
                         Sum([&](const Place& place) -> auto& { return place.failed[outcome]; })});
    }
    return reasons;
  }

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Counted::kCollective) + 1;
  static constexpr std::size_t kPosteds = static_cast<std::size_t>(Posted::kDone) + 1;
  static constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::kLeft) + 1;
  using Number = topo::Atomic<std::uint64_t>;
  struct alignas(64) Place {
    std::array<Number, kKinds> operations, bytes;
    std::array<Number, kPosteds> refused;
    std::array<Number, kOutcomes> failed;
  };

  static void Add(Number& number, std::uint64_t amount = 1) {
    number.FetchAdd(amount, std::memory_order_relaxed);
  }
  Place& Mine() { return places_[ThreadNumber() % places_.size()]; }
  template <typename Choose>
  std::uint64_t Sum(Choose choose) const {
    std::uint64_t sum = 0;
    for (const Place& place : places_) sum += choose(place).Load(std::memory_order_relaxed);
    return sum;
  }

  std::array<Place, 16> places_;
};

}  // namespace llcl
