// How mates change as edges are decided. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {

// A value: mates that came of a state, by what was decided since.
template <int words>
struct Way {
  Mates<words> mates;
  std::uint32_t state = 0;  // its number
  std::uint32_t taken = 0;  // edges, as Stage::weights has them
};

// A value: one step, in the bits of mates.
//
// Many states are decided at once, and without branches where these could not be predicted.
template <int words>
class EdgeRule {
 public:
  EdgeRule(const Layout& layout, const Step& step)
      : layout_(&layout),
        terminals_(&step.terminals),
        from_bit_(layout.bit(step.from)),
        to_bit_(layout.bit(step.to)),
        from_slot_(kFirstSlot + static_cast<std::uint64_t>(step.from)),
        to_slot_(kFirstSlot + static_cast<std::uint64_t>(step.to)),
        mask_(layout.mask()),
        both_entered_(step.both_entered) {
    for (std::uint64_t& word : stays_.word) word = ~std::uint64_t{0};
    for (const int slot : step.leaving) {
      (slot == step.from ? from_leaves_ : to_leaves_) = true;
      stays_.Flip(layout.bit(slot), mask_);
    }
    for (const int slot : step.one_left) {
      (slot == step.from ? from_has_one_left_ : to_has_one_left_) = true;
    }
  }

  // Decides the edge for all of `ways`, in which the vertices that the step brings enter. Writes
  // those that go on to `out`, which has room for twice as many, and returns how many: of each way
  // first that by which the edge is left out, then that by which it is taken, with `bit` in
  // `taken`. Calls path(way) where the edge closes the path from source to target: the decisions on
  // all edges that are left are then to leave them out.
  template <typename Path>
  std::size_t Decide(std::span<Way<words>> ways, std::uint32_t bit, Way<words>* out,
                     const Path& path) const {
    for (const int terminal : *terminals_) {
      for (Way<words>& way : ways) EnterTerminal(terminal, way.mates);
    }
    // Copies, which the compiler need not read again after each store to `out`.
    const EdgeRule rule = *this;
    const unsigned* const bits = layout_->bits();
    const Way<words>* const first = out;
    for (const Way<words>& way : ways) {
      const std::uint64_t from = way.mates.Get(rule.from_bit_, rule.mask_),
                          to = way.mates.Get(rule.to_bit_, rule.mask_);
      Mates<words> mates = way.mates;
      // A vertex that has no edge yet, and one to come, has none in the end: it is like an inner
      // one.
      if (rule.from_has_one_left_) {
        mates.Flip(rule.from_bit_, from == kUntouched ? kInner : kUntouched);
      }
      if (rule.to_has_one_left_) {
        mates.Flip(rule.to_bit_, to == kUntouched ? kInner : kUntouched);
      }
      // The vertices whose last edge it is leave, and none may be the end of a path.
      *out = {rule.Left(mates), way.state, way.taken};
      out += !((rule.from_leaves_ & (from > kInner)) | (rule.to_leaves_ & (to > kInner)));

      if (from == rule.to_slot_) {
        if (Closes(way.mates)) path(Way<words>{way.mates, way.state, way.taken | bit});
        continue;
      }
      mates = way.mates;
      rule.Join(from, to, bits, mates);
      *out = {rule.Left(mates), way.state, way.taken | bit};
      // A vertex that leaves and had no edge before is the end of a path now.
      out += !((from == kInner) | (to == kInner) | (rule.from_leaves_ & (from == kUntouched)) |
               (rule.to_leaves_ & (to == kUntouched)));
    }
    return static_cast<std::size_t>(out - first);
  }

 private:
  Mates<words> Left(Mates<words> mates) const {
    for (std::size_t i = 0; i < words; ++i) mates.word[i] &= stays_.word[i];
    return mates;
  }

  // The paths that end in the edge's ends become one. If an end is inner, mates come to nothing
  // that has a meaning.
  void Join(std::uint64_t from, std::uint64_t to, const unsigned* bits, Mates<words>& mates) const {
    // The ends of the joined path, which may be these two vertices.
    const std::uint64_t one = from == kUntouched ? from_slot_ : from;
    const std::uint64_t other = to == kUntouched ? to_slot_ : to;
    mates.Flip(from_bit_, from == kUntouched ? other : from ^ kInner);
    mates.Flip(to_bit_, to == kUntouched ? one : to ^ kInner);
    mates.Flip(bits[from], from > kOutside ? from_slot_ ^ other : 0);
    mates.Flip(bits[to], to > kOutside ? to_slot_ ^ one : 0);
  }

  void EnterTerminal(int terminal, Mates<words>& mates) const {
    std::uint64_t mate = kOutside;
    for (int slot = 0; slot < layout_->slots(); ++slot) {
      if (mates.Get(layout_->bit(slot), mask_) != kOutside) continue;
      // The other terminal has entered: here is the other end of its path.
      mate = kFirstSlot + static_cast<std::uint64_t>(slot);
      mates.Flip(layout_->bit(slot),
                 kOutside ^ (kFirstSlot + static_cast<std::uint64_t>(terminal)));
    }
    mates.Flip(layout_->bit(terminal), mate);
  }

  // Whether the path whose two ends meet is that of the terminals, and no other has ends.
  bool Closes(const Mates<words>& mates) const {
    if (!both_entered_) return false;
    for (int slot = 0; slot < layout_->slots(); ++slot) {
      const std::uint64_t mate = mates.Get(layout_->bit(slot), mask_);
      if (mate > kInner && mate != from_slot_ && mate != to_slot_) return false;
    }
    return true;
  }

  const Layout* layout_;
  const std::vector<int>* terminals_;
  unsigned from_bit_, to_bit_;
  std::uint64_t from_slot_, to_slot_;  // as mates
  std::uint64_t mask_;
  bool from_leaves_ = false, to_leaves_ = false;
  bool from_has_one_left_ = false, to_has_one_left_ = false;
  bool both_entered_;
  Mates<words> stays_;  // the bits of all slots that no vertex leaves
};

// A value: all steps of a plan, which outlives it, as the layout does.
template <int words>
class Rules {
 public:
  Rules(const Plan& plan, const Layout& layout) {
    for (const Step& step : plan.steps) rules_.emplace_back(layout, step);
  }

  const EdgeRule<words>& operator[](std::size_t step) const { return rules_[step]; }

 private:
  std::vector<EdgeRule<words>> rules_;
};

// A value: states that are decided together. Threads: one.
template <int words>
class Batch {
 public:
  static constexpr std::size_t kStates = 64;

  explicit Batch(const Rules<words>& rules)
      : rules_(&rules), ways_(kStates << kLongestStage), next_(kStates << kLongestStage) {}

  std::size_t size() const { return size_; }
  bool is_full() const { return size_ == kStates; }
  // Its number is the size before.
  void Add(const Mates<words>& mates) {
    ways_[size_] = {mates, static_cast<std::uint32_t>(size_), 0};
    ++size_;
  }

  // Decides the edges of a stage for all states, which are gone then. Returns the ways that go on,
  // for as long as no other state is added; calls path(way) for each that is a path.
  template <typename Path>
  std::span<const Way<words>> Decide(const Stage& stage, const Path& path) {
    std::size_t ways = std::exchange(size_, 0);
    for (std::size_t step = stage.first; step < stage.last; ++step) {
      ways = (*rules_)[step].Decide(std::span(ways_).first(ways), 1u << (step - stage.first),
                                    next_.data(), path);
      std::swap(ways_, next_);
    }
    return std::span(ways_).first(ways);
  }

 private:
  const Rules<words>* rules_;
  std::vector<Way<words>> ways_, next_;
  std::size_t size_ = 0;
};

}  // namespace simpath
