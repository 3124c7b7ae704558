// How mates change as one edge is decided. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {

// A value: mates that came of a state, by what was decided since.
template <int words>
struct Way {
  Mates<words> mates;
  std::uint32_t state = 0;   // its number
  std::uint32_t choice = 0;  // of the edges that are taken, as Stage numbers it
};

// A value: one step, in the bits of mates.
//
// Many states are decided at once, and without branches where these could not be predicted.
template <int words>
class EdgeRule {
 public:
  EdgeRule(const Layout& layout, const Step& step)
      : layout_(&layout),
        from_bit_(layout.bit(step.from)),
        to_bit_(layout.bit(step.to)),
        from_slot_(kFirstSlot + static_cast<std::uint64_t>(step.from)),
        to_slot_(kFirstSlot + static_cast<std::uint64_t>(step.to)),
        mask_(layout.mask()),
        others_(EndBits<words>(layout)) {
    for (std::uint64_t& word : stays_.word) word = ~std::uint64_t{0};
    for (const int terminal : step.terminals) {
      entering_.Flip(layout.bit(terminal), kOutside);
    }
    for (const int slot : step.leaving) {
      (slot == step.from ? from_leaves_ : to_leaves_) = true;
      stays_.Flip(layout.bit(slot), mask_);
    }
    for (const int slot : step.one_left) {
      (slot == step.from ? from_has_one_left_ : to_has_one_left_) = true;
    }
    for (const unsigned bit : {from_bit_, to_bit_}) others_.Clear(bit, mask_);
  }

  // Decides the edge for all of `ways`, in which the vertices that the step brings enter. Writes
  // those that go on to `out`, which has room for twice as many, and returns how many: of each way
  // first that by which the edge is left out, then that by which it is taken, with `bit` in
  // `choice`. Calls path(way) where the edge closes the path from source to target: the decisions
  // on all edges that are left are then to leave them out.
  template <typename Path>
  std::size_t Decide(std::span<const Way<words>> ways, std::uint32_t bit, Way<words>* out,
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
      // A vertex that has no edge yet, and one to come, has none in the end: it is like an inner
      // one.
      if (rule.from_has_one_left_) {
        mates.Flip(rule.from_bit_, from == kUntouched ? kInner : kUntouched);
      }
      if (rule.to_has_one_left_) {
        mates.Flip(rule.to_bit_, to == kUntouched ? kInner : kUntouched);
      }
      // The vertices whose last edge it is leave, and none may be the end of a path.
      *out = {mates & rule.stays_, way.state, way.choice};
      out += !((rule.from_leaves_ & (from > kInner)) | (rule.to_leaves_ & (to > kInner)));

      const bool closes_cycle = from == rule.to_slot_;
      const bool closes_path = (from == kOutside) & (to == kOutside);
      if (closes_cycle | closes_path) {
        if (closes_path && (before & rule.others_).IsZero()) {
          path(Way<words>{before, way.state, way.choice | bit});
        }
        continue;
      }
      mates = before;
      rule.Join(from, to, bits, mates);
      *out = {mates & rule.stays_, way.state, way.choice | bit};
      // A vertex that leaves and had no edge before is the end of a path now.
      out += !((from == kInner) | (to == kInner) | (rule.from_leaves_ & (from == kUntouched)) |
               (rule.to_leaves_ & (to == kUntouched)));
    }
    return static_cast<std::size_t>(out - first);
  }

 private:
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

  const Layout* layout_;
  unsigned from_bit_, to_bit_;
  std::uint64_t from_slot_, to_slot_;  // as mates
  std::uint64_t mask_;
  bool from_leaves_ = false, to_leaves_ = false;
  bool from_has_one_left_ = false, to_has_one_left_ = false;
  Mates<words> entering_;  // terminals, in their slots
  Mates<words> stays_;     // the bits of all slots that no vertex leaves
  Mates<words> others_;    // of the slots of other vertices, the bits that ends of paths have
};

}  // namespace simpath
