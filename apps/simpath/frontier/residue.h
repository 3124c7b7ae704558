// Counts modulo the prime 2^61 - 1, and a sum that shows whether all that was handed on has come:
// the check of a count edge by edge. Pure.
//
// Each way from a state to another hands on a count. The sum of these, each times a number that is
// made of the mates it goes to, is taken twice: where they are handed on, and where the states of
// the next stage are read, from their mates and counts as they lie in memory. A carry or a word
// that was lost, a state that was lost, came twice, or took the count of another, and a bit that
// changed in memory each change one sum only. A wrong rule changes both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/count.h"

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

// A value: a sum of counts, each times a number made of the mates that it belongs to.
class Flow {
 public:
  // `hash` is of the mates; its 32 highest bits are the number. At most 2^35 times.
  void Add(std::uint64_t hash, Residue count) {
    sum_ += static_cast<unsigned __int128>(count.value()) * (hash >> 32);
  }
  // Of few flows.
  void Add(const Flow& other) { sum_ += Residue::FromWide(other.sum_).value(); }
  Residue residue() const { return Residue::FromWide(sum_); }

 private:
  unsigned __int128 sum_ = 0;
};

// A value: what the check of a count must know from one stage to the next.
class FlowCheck {
 public:
  struct State {
    bool is_on = false;
    Residue flow;   // to the states of the next stage
    Residue paths;  // that have ended
  };

  explicit FlowCheck(Check check) { state_.is_on = check == Check::kOn; }

  bool is_on() const { return state_.is_on; }
  const State& state() const { return state_; }
  // The only state is one way.
  void Start(std::uint64_t hash) {
    Flow flow;
    flow.Add(hash, Residue::FromValue(1));
    state_.flow = flow.residue();
  }
  // Where a checked count was interrupted. Precondition: that one was, if this one is on.
  void GoOn(const State& state) {
    state_.flow = state.flow;
    state_.paths = state.paths;
  }
  // After a stage: what its states were, what they gave to the next, and to paths. Whether they
  // were all that was given to them.
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
