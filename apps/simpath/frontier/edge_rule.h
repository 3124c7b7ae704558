// How mates change as one edge is decided. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/whole.h"

namespace simpath {

// A value: the mates after some decisions on a state.
template <int words>
struct Way {
  Mates<words> mates;
  std::uint32_t state = 0;   // its number
  std::uint32_t choice = 0;  // of taken edges, as numbered by Stage
};

// The mates of terminals entering at this step. At the source a path from outside ends; at the
// target a path to outside begins.
template <int words>
Mates<words> EnteringAt(const Layout& layout, const Rule& rule, const Step& step) {
  Mates<words> mates;
  for (const Terminal& terminal : step.terminals) {
    const std::uint64_t role = rule.is_directed() && terminal.is_target ? layout.role() : 0;
    mates.Flip(layout.bit(terminal.slot), kOutside | role);
  }
  return mates;
}

// A value: one step, in the bits of mates.
//
// For undirected paths between given ends the loop over states has no unpredictable branch.
template <int words>
class EdgeRule {
 public:
  EdgeRule(const Layout& layout, const Rule& rule, const Step& step)
      : layout_(&layout),
        rule_(rule),
        is_plain_(rule == Rule{}),
        from_bit_(layout.bit(step.from)),
        to_bit_(layout.bit(step.to)),
        from_slot_(kFirstSlot + static_cast<std::uint64_t>(step.from)),
        to_slot_(kFirstSlot + static_cast<std::uint64_t>(step.to)),
        mask_(layout.mask()),
        entering_(EnteringAt<words>(layout, rule, step)),
        whole_(layout, rule, {&step, 1}) {
    for (std::uint64_t& word : stays_.word) word = ~std::uint64_t{0};
    for (const int slot : step.leaving) {
      (slot == step.from ? from_leaves_ : to_leaves_) = true;
      stays_.Clear(layout.bit(slot), layout.slot_mask());
    }
    for (const int slot : step.one_left) {
      (slot == step.from ? from_has_one_left_ : to_has_one_left_) = true;
    }
  }

  // New vertices enter, then the edge is decided for all of `ways`. Writes the surviving ways to
  // `out`, with room for twice as many, and returns their number: for each way first the way
  // without the edge, then the way with the edge, with `bit` in `choice`. Calls path(way) when a
  // counted path or cycle closes; later edges are then left out.
  template <typename Path>
  std::size_t Decide(std::span<const Way<words>> ways, std::uint32_t bit, Way<words>* out,
                     const Path& path) const {
    return is_plain_ ? DecidePlain(ways, bit, out, path) : DecideAny(ways, bit, out, path);
  }

 private:
  template <typename Path>
  std::size_t DecidePlain(std::span<const Way<words>> ways, std::uint32_t bit, Way<words>* out,
                          const Path& path) const {
    // Copies, which the compiler need not read again after each store to `out`.
    const EdgeRule rule = *this;
    const unsigned* const bits = layout_->bits();
    const Way<words>* const first = out;
    for (const Way<words>& way : ways) {
      const Mates<words> before = way.mates ^ rule.entering_;
      const std::uint64_t from = before.Get(rule.from_bit_, rule.mask_),
                          to = before.Get(rule.to_bit_, rule.mask_);
      Mates<words> mates = before;
      // An untouched vertex with one undecided edge ends without edges: it is like an inner vertex.
      if (rule.from_has_one_left_) {
        mates.Flip(rule.from_bit_, from == kUntouched ? kInner : kUntouched);
      }
      if (rule.to_has_one_left_) {
        mates.Flip(rule.to_bit_, to == kUntouched ? kInner : kUntouched);
      }
      // A vertex leaves at its last edge, and must not be the end of a path then.
      *out = {mates & rule.stays_, way.state, way.choice};
      out += !((rule.from_leaves_ & (from > kInner)) | (rule.to_leaves_ & (to > kInner)));

      const bool closes_cycle = from == rule.to_slot_;
      const bool closes_path = (from == kOutside) & (to == kOutside);
      if (closes_cycle | closes_path) {
        if (closes_path && rule.whole_.Is(before, {rule.from_bit_, rule.to_bit_})) {
          path(Way<words>{before, way.state, way.choice | bit});
        }
        continue;
      }
      mates = before;
      rule.Join(from, to, bits, mates);
      *out = {mates & rule.stays_, way.state, way.choice | bit};
      // A leaving vertex without another edge would be the end of a path.
      out += !((from == kInner) | (to == kInner) | (rule.from_leaves_ & (from == kUntouched)) |
               (rule.to_leaves_ & (to == kUntouched)));
    }
    return static_cast<std::size_t>(out - first);
  }

  template <typename Path>
  std::size_t DecideAny(std::span<const Way<words>> ways, std::uint32_t bit, Way<words>* out,
                        const Path& path) const {
    const Way<words>* const first = out;
    for (const Way<words>& way : ways) {
      const Mates<words> before = way.mates ^ entering_;
      const std::uint64_t from = before.Get(from_bit_, mask_), to = before.Get(to_bit_, mask_);
      LeaveOut({before, way.state, way.choice}, from, to, out, path);

      if (from == kInner || to == kInner || !MayFollow(before, from, to)) continue;
      const Way<words> taken = {before, way.state, way.choice | bit};
      const bool closes_cycle = from == to_slot_;
      if (closes_cycle || (from == kOutside && to == kOutside)) {
        const bool counts = closes_cycle == (rule_.shape == Shape::kCycles);
        if (counts && whole_.Is(before, {from_bit_, to_bit_})) path(taken);
        continue;
      }
      Way<words> joined = taken;
      Join(from, to, layout_->bits(), joined.mates);
      if (rule_.is_directed()) {
        if (from == kUntouched) joined.mates.Flip(from_bit_, layout_->role());
        if (to != kUntouched) joined.mates.Flip(to_bit_, layout_->role());
      }
      Settle(joined, out, path);
    }
    return static_cast<std::size_t>(out - first);
  }

  // An arc joins the end of a path to the beginning of a path.
  bool MayFollow(const Mates<words>& mates, std::uint64_t from, std::uint64_t to) const {
    if (!rule_.is_directed()) return true;
    return (from == kUntouched || mates.Get(from_bit_, layout_->role()) == 0) &&
           (to == kUntouched || mates.Get(to_bit_, layout_->role()) != 0);
  }

  template <typename Path>
  void LeaveOut(Way<words> way, std::uint64_t from, std::uint64_t to, Way<words>*& out,
                const Path& path) const {
    // An untouched vertex with one undecided edge ends without edges, unless paths end anywhere.
    if (rule_.shape == Shape::kCycles || rule_.ends == Ends::kGiven) {
      const bool from_is_out = from_has_one_left_ && from == kUntouched,
                 to_is_out = to_has_one_left_ && to == kUntouched;
      if ((from_is_out || to_is_out) && rule_.visits == Visits::kAllVertices) return;
      if (from_is_out) way.mates.Flip(from_bit_, kInner);
      if (to_is_out) way.mates.Flip(to_bit_, kInner);
    }
    Settle(way, out, path);
  }

  // Vertices leave at their last edge.
  template <typename Path>
  void Settle(Way<words> way, Way<words>*& out, const Path& path) const {
    const bool any_ends = rule_.shape == Shape::kPaths && rule_.ends == Ends::kAny;
    for (const auto& [leaves, bit, slot] :
         {Leaving{from_leaves_, from_bit_, from_slot_}, Leaving{to_leaves_, to_bit_, to_slot_}}) {
      if (!leaves) continue;
      const std::uint64_t mate = way.mates.Get(bit, mask_);
      if (mate == kUntouched && rule_.visits == Visits::kAllVertices) return;
      if (mate <= kInner) continue;
      if (!any_ends) return;
      if (mate == kOutside) {
        if (whole_.Is(way.mates, {bit})) path(way);
        return;
      }
      // The path ends here; only the other end goes on.
      way.mates.Flip(layout_->bits()[mate], slot ^ kOutside);
      way.mates.Set(bit, layout_->slot_mask(), kInner);
    }
    if (any_ends && !HasTwoEndsAtMost(way.mates)) return;
    *out++ = {way.mates & stays_, way.state, way.choice};
  }

  bool HasTwoEndsAtMost(const Mates<words>& mates) const {
    int of_ends = 0, of_beginnings = 0;
    for (int slot = 0; slot < layout_->slots(); ++slot) {
      const unsigned bit = layout_->bit(slot);
      if (mates.Get(bit, mask_) != kOutside) continue;
      const bool begins = rule_.is_directed() && mates.Get(bit, layout_->role()) != 0;
      ++(begins ? of_beginnings : of_ends);
    }
    return rule_.is_directed() ? of_ends <= 1 && of_beginnings <= 1 : of_ends <= 2;
  }

  // The two paths at the edge become one path. With an inner vertex at the edge the result is
  // meaningless.
  void Join(std::uint64_t from, std::uint64_t to, const unsigned* bits, Mates<words>& mates) const {
    // The ends of the joined path.
    const std::uint64_t one = from == kUntouched ? from_slot_ : from;
    const std::uint64_t other = to == kUntouched ? to_slot_ : to;
    mates.Flip(from_bit_, from == kUntouched ? other : from ^ kInner);
    mates.Flip(to_bit_, to == kUntouched ? one : to ^ kInner);
    mates.Flip(bits[from], from > kOutside ? from_slot_ ^ other : 0);
    mates.Flip(bits[to], to > kOutside ? to_slot_ ^ one : 0);
  }

  struct Leaving {
    bool leaves;
    unsigned bit;
    std::uint64_t slot;
  };

  const Layout* layout_;
  Rule rule_;
  bool is_plain_;
  unsigned from_bit_, to_bit_;
  std::uint64_t from_slot_, to_slot_;  // as mates
  std::uint64_t mask_;
  bool from_leaves_ = false, to_leaves_ = false;
  bool from_has_one_left_ = false, to_has_one_left_ = false;
  Mates<words> entering_;  // terminals, in their slots
  Mates<words> stays_;     // bits of slots without a leaving vertex
  Whole<words> whole_;
};

}  // namespace simpath
