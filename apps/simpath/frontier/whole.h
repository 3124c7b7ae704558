// Whether a path or cycle that closes is all that a state has. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {

// A value: of the frontier of some steps.
template <int words>
class Whole {
 public:
  Whole(const Layout& layout, const Rule& rule, std::span<const Step> steps)
      : slot_mask_(layout.slot_mask()), visits_all_(rule.visits == Visits::kAllVertices) {
    for (int slot = 0; slot < layout.slots(); ++slot) {
      ends_.Flip(layout.bit(slot), layout.mask() ^ kInner);
    }
    for (const Step& step : steps) {
      for (const int slot : step.occupied) inner_.Set(layout.bit(slot), slot_mask_, kInner);
    }
    all_entered_ = steps.back().all_entered;
  }

  // No vertex but those whose mates lie at these bits is the end of a path, and, if all are to be
  // visited, each has two edges.
  bool Is(Mates<words> mates, std::initializer_list<unsigned> bits) const {
    Mates<words> inner = inner_;
    for (const unsigned bit : bits) {
      mates.Clear(bit, slot_mask_);
      inner.Clear(bit, slot_mask_);
    }
    if (visits_all_) return all_entered_ && mates == inner;
    return (mates & ends_).IsZero();
  }

 private:
  std::uint64_t slot_mask_;
  bool visits_all_, all_entered_ = false;
  Mates<words> ends_;   // the bits that only mates of ends have
  Mates<words> inner_;  // of the frontier, where all are inner
};

}  // namespace simpath
