// The check of a count edge by edge: sums of counts modulo the prime 2^61 - 1. Pure.
//
// Each way from a state to a next state hands on a count. Two sums of counts are made, with the
// hash of the next state's mates as the weight of a count: the first when counts are handed on, the
// second when the next stage reads states and counts from memory. The sums differ after a lost
// carry, a lost or doubled state, swapped counts, or a changed bit in memory. The sums agree after
// a wrong decision rule: rows of several modes, and tests, check the rule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/problem/count.h"

namespace simpath {

// A value.
class Residue {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  constexpr Residue() = default;
  // Of words of 64 bits, the lowest first.
  explicit constexpr Residue(std::span<const std::uint64_t> words) {
    for (std::size_t i = words.size(); i-- > 0;) {
      // 2^64 is 2^3 modulo the prime.
      const std::uint64_t above = (value_ << 3 & kPrime) | value_ >> 58;
      value_ = Reduced((words[i] & kPrime) + (words[i] >> 61) + above);
    }
  }

  std::uint64_t value() const { return value_; }  // below the prime

  // Precondition: below the prime.
  static constexpr Residue FromValue(std::uint64_t value) { return FromReduced(value); }

  friend constexpr Residue operator+(Residue a, Residue b) {
    return FromReduced(Reduced(a.value_ + b.value_));
  }
  friend constexpr Residue operator*(Residue a, Residue b) {
    return FromWide(static_cast<unsigned __int128>(a.value_) * b.value_);
  }
  friend constexpr bool operator==(const Residue&, const Residue&) = default;

  static constexpr Residue FromWide(unsigned __int128 value) {
    const auto low = static_cast<std::uint64_t>(value) & kPrime;
    const auto middle = static_cast<std::uint64_t>(value >> 61) & kPrime;
    const auto high = static_cast<std::uint64_t>(value >> 122);
    return FromReduced(Reduced(low + middle + high));
  }

 private:
  static constexpr Residue FromReduced(std::uint64_t value) {
    Residue residue;
    residue.value_ = value;
    return residue;
  }
  // Precondition: below 2^63.
  static constexpr std::uint64_t Reduced(std::uint64_t value) {
    value = (value & kPrime) + (value >> 61);
    return value >= kPrime ? value - kPrime : value;
  }

  std::uint64_t value_ = 0;
};

inline std::vector<Residue> ResiduesOf(std::span<const Count> counts) {
  std::vector<Residue> residues;
  for (const Count& count : counts) residues.emplace_back(count.words());
  return residues;
}

// A value: a sum of counts, weighted by hashes of mates.
class Flow {
 public:
  // The 32 highest bits of the hash are the weight. Precondition: at most 2^35 calls.
  void Add(std::uint64_t hash, Residue count) {
    sum_ += static_cast<unsigned __int128>(count.value()) * (hash >> 32);
  }
  // Precondition: few calls.
  void Add(const Flow& other) { sum_ += Residue::FromWide(other.sum_).value(); }
  Residue residue() const { return Residue::FromWide(sum_); }

 private:
  unsigned __int128 sum_ = 0;
};

// A value: the check's state between two stages.
class FlowCheck {
 public:
  struct State {
    bool is_on = false;
    Residue flow;   // into the states of the next stage
    Residue paths;  // complete paths
  };

  explicit FlowCheck(Check check) { state_.is_on = check == Check::kOn; }

  bool is_on() const { return state_.is_on; }
  const State& state() const { return state_; }
  // The first state, with the count 1.
  void Start(std::uint64_t hash) {
    Flow flow;
    flow.Add(hash, Residue::FromValue(1));
    state_.flow = flow.residue();
  }
  // Goes on after an interruption. Precondition: the interrupted count was checked, or this check
  // is off.
  void GoOn(const State& state) {
    state_.flow = state.flow;
    state_.paths = state.paths;
  }
  // After a stage: the flow read from its states, the flow given to the next states, and complete
  // paths. False: the read flow is not the flow given by the stage before.
  [[nodiscard]] bool Pass(Residue read, Residue given, Residue ended) {
    if (!state_.is_on) return true;
    const bool all = read == state_.flow;
    state_.flow = given;
    state_.paths = state_.paths + ended;
    return all;
  }
  [[nodiscard]] bool End(std::span<const std::uint64_t> paths) const {
    return !state_.is_on || Residue(paths) == state_.paths;
  }

 private:
  State state_;
};

}  // namespace simpath
