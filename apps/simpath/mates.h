// What must be known of the decided edges: for each vertex of the frontier, where the path that
// ends in it has its other end. Pure.
//
// Source and target are joined by a path beforehand, so that a path between them closes a cycle,
// and both are vertices like others.
//
// Source: as plan.h; the mate array.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/plan.h"

namespace simpath {

// What a slot holds.
enum Mate : std::uint64_t {
  kUntouched = 0,  // no edge of the vertex is taken; also of a slot without a vertex
  kInner = 1,      // two are taken
  kOutside = 2,    // the other end is the terminal that has not entered yet
  kFirstSlot = 3,  // 3 + i: the other end is in slot i
};

// A value: mates in words of 64 bits, none of which has all bits set.
template <int words>
struct Mates {
  std::array<std::uint64_t, words> word = {};

  friend bool operator==(const Mates&, const Mates&) = default;
};

// A value: where each slot's mate lies in the words.
class Layout {
 public:
  struct Place {
    int word = 0;
    int shift = 0;
  };

  // A mate is at most kFirstSlot + slots - 1, and each but kUntouched and kInner is in one slot
  // only, so no word is full.
  explicit Layout(int slots)
      : bits_(std::bit_width(static_cast<unsigned>(slots) + kFirstSlot - 1)) {
    const int per_word = 64 / bits_;
    for (int slot = 0; slot < slots; ++slot) {
      places_.push_back({slot / per_word, slot % per_word * bits_});
    }
    strands_.resize(static_cast<std::size_t>(words()));
    for (const Place& place : places_) {
      strands_[static_cast<std::size_t>(place.word)] |= (mask() - 1) << place.shift;
    }
  }

  std::size_t slots() const { return places_.size(); }
  int words() const { return places_.empty() ? 1 : places_.back().word + 1; }
  Place place(int slot) const { return places_[static_cast<std::size_t>(slot)]; }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits_) - 1; }

  template <int words>
  std::uint64_t Get(const Mates<words>& mates, int slot) const {
    const Place at = place(slot);
    return mates.word[static_cast<std::size_t>(at.word)] >> at.shift & mask();
  }
  template <int words>
  void Set(Mates<words>& mates, int slot, std::uint64_t mate) const {
    const Place at = place(slot);
    std::uint64_t& word = mates.word[static_cast<std::size_t>(at.word)];
    word = (word & ~(mask() << at.shift)) | mate << at.shift;
  }
  // Whether any vertex is the end of a path.
  template <int words>
  bool HasEnds(const Mates<words>& mates) const {
    for (std::size_t i = 0; i < strands_.size(); ++i) {
      if ((mates.word[i] & strands_[i]) != 0) return true;
    }
    return false;
  }

 private:
  int bits_;
  std::vector<Place> places_;
  std::vector<std::uint64_t> strands_;  // all bits of each mate but the lowest
};

enum class Outcome { kDead, kOpen, kPath };

// The vertices that the step brings enter.
template <int words>
void Enter(const Layout& layout, const Step& step, Mates<words>& mates) {
  for (const int terminal : step.terminals) {
    std::uint64_t mate = kOutside;
    for (std::size_t slot = 0; slot < layout.slots(); ++slot) {
      if (layout.Get(mates, static_cast<int>(slot)) != kOutside) continue;
      // The other terminal has entered: here is the other end of its path.
      mate = kFirstSlot + slot;
      layout.Set(mates, static_cast<int>(slot), kFirstSlot + static_cast<std::uint64_t>(terminal));
    }
    layout.Set(mates, terminal, mate);
  }
}

// The edge is left out, or has been taken. The vertices whose last it was leave; none may be the
// end of a path.
template <int words>
Outcome Leave(const Layout& layout, const Step& step, Mates<words>& mates) {
  for (const int slot : step.leaving) {
    if (layout.Get(mates, slot) > kInner) return Outcome::kDead;
    layout.Set(mates, slot, kUntouched);
  }
  return Outcome::kOpen;
}

// The edge is taken. kPath where it closes the path from source to target; the decisions on all
// edges that are left are then to leave them out.
template <int words>
Outcome Take(const Layout& layout, const Step& step, Mates<words>& mates) {
  const std::uint64_t from = layout.Get(mates, step.from), to = layout.Get(mates, step.to);
  if (from == kInner || to == kInner) return Outcome::kDead;
  const auto from_slot = kFirstSlot + static_cast<std::uint64_t>(step.from);
  const auto to_slot = kFirstSlot + static_cast<std::uint64_t>(step.to);
  if (from == to_slot) {
    layout.Set(mates, step.from, kInner);
    layout.Set(mates, step.to, kInner);
    return step.both_entered && !layout.HasEnds(mates) ? Outcome::kPath : Outcome::kDead;
  }
  // The ends of the joined path, which may be these two vertices.
  const std::uint64_t one = from == kUntouched ? from_slot : from;
  const std::uint64_t other = to == kUntouched ? to_slot : to;
  if (from != kUntouched) layout.Set(mates, step.from, kInner);
  if (to != kUntouched) layout.Set(mates, step.to, kInner);
  if (one != kOutside) layout.Set(mates, static_cast<int>(one - kFirstSlot), other);
  if (other != kOutside) layout.Set(mates, static_cast<int>(other - kFirstSlot), one);
  return Leave(layout, step, mates);
}

// A value: what comes of mates when an edge is decided.
template <int words>
struct Decided {
  Outcome without = Outcome::kDead, with = Outcome::kDead;
  Mates<words> left_out, taken;  // of open outcomes
};

template <int words>
Decided<words> Decide(const Layout& layout, const Step& step, Mates<words> mates) {
  if (!step.terminals.empty()) Enter(layout, step, mates);
  Decided<words> decided;
  decided.left_out = decided.taken = mates;
  decided.without = Leave(layout, step, decided.left_out);
  decided.with = Take(layout, step, decided.taken);
  return decided;
}

// Calls body.operator()<words>() with words enough for mates of that layout. Unimplemented where
// there are none.
template <typename Result, typename Body>
absl::StatusOr<Result> WithWords(const Layout& layout, const Body& body) {
  switch (layout.words()) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
    case 4:
      return body.template operator()<4>();
    case 5:
    case 6:
    case 7:
    case 8:
      return body.template operator()<8>();
    default:
      return absl::UnimplementedError(absl::StrCat("the frontier has ", layout.slots(),
                                                   " vertices: mates have room for about 70"));
  }
}

}  // namespace simpath
