// Whether a state has no path beside the closing path or cycle. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {

// A value, for the frontier of some steps.
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

  // Apart from the vertices with mates at `bits`, no vertex is the end of a path. If the rule
  // visits all vertices, every vertex has entered and has two edges.
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
  Mates<words> ends_;   // bits set only in mates of ends
  Mates<words> inner_;  // the frontier with inner vertices only
};

}  // namespace simpath
