// How mates change when all undecided edges of a vertex are decided at once, and the vertex leaves.
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/frontier/edge_rule.h"
#include "apps/simpath/frontier/join.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/whole.h"

namespace simpath {

// A value: a stage of one vertex, in the bits of mates. If the vertex is the end of a path, one
// edge is taken, otherwise none or two. States are sorted by the vertex: untouched, inner or end.
template <int words>
class VertexRule {
 public:
  static constexpr std::size_t kMostStates = Columns<words>::kMost;

  // The steps of the stage, and the slot of the vertex. Precondition: the rule is undirected, and
  // paths have given ends.
  VertexRule(const Layout& layout, const Rule& rule, std::span<const Step> steps, int slot)
      : layout_(&layout), rule_(rule), whole_(layout, rule, steps) {
    const bool visits_all = rule.visits == Visits::kAllVertices;
    for (std::uint64_t& word : stays_.word) word = ~std::uint64_t{0};
    joints_.push_back({.bit = layout.bit(slot), .slot = SlotMate(slot), .leaves = 1});
    for (const Step& step : steps) {
      const int other = step.from == slot ? step.to : step.from;
      Joint joint = {.bit = layout.bit(other), .slot = SlotMate(other)};
      entering_ = entering_ ^ EnteringAt<words>(layout, rule, step);
      for (const int leaving : step.leaving) {
        stays_.Clear(layout.bit(leaving), layout.slot_mask());
        if (leaving != other) continue;
        joint.leaves = 1;
        joint.is_lost = visits_all ? 1 : 0;
      }
      for (const int one_left : step.one_left) {
        if (one_left == other) (visits_all ? joint.needs_edge : joint.is_inner) = 1;
      }
      joints_.push_back(joint);
    }
  }

  // Decides the stage for all states; the place of a state is the number of the state. Writes the
  // ways to `out`, with room for all choices of all states, and returns their number. Calls
  // path(way) as EdgeRule::Decide.
  template <typename Path>
  std::size_t Decide(std::span<const Mates<words>> states, Columns<words>& columns, Way<words>* out,
                     const Path& path) const {
    std::array<Mates<words>, kMostStates> entered;
    std::array<std::array<std::uint32_t, kMostStates>, 3> numbers;  // by kind
    std::array<std::size_t, 3> sizes = {};
    for (std::uint32_t i = 0; i < states.size(); ++i) {
      entered[i] = states[i] ^ entering_;
      const std::uint64_t mate = entered[i].Get(joints_[0].bit, layout_->mask());
      const std::size_t kind = mate > kInner ? kEnd : mate;
      numbers[kind][sizes[kind]++] = i;
    }
    const Way<words>* const first = out;
    for (const std::size_t kind : {std::size_t{kUntouched}, std::size_t{kInner}, kEnd}) {
      columns.size = sizes[kind];
      if (columns.size == 0) continue;
      for (std::size_t i = 0; i < columns.size; ++i) {
        columns.number[i] = numbers[kind][i];
        columns.mates.Set(i, entered[columns.number[i]]);
      }
      LeaveOut(*layout_, joints_, columns);
      if (kind == kEnd) {
        for (std::uint32_t i = 1; i < joints_.size(); ++i) Take(0, i, i, columns, out, path);
        continue;
      }
      const bool may_be_left_out = kind == kInner || rule_.visits == Visits::kSomeVertices;
      for (std::size_t i = 0; may_be_left_out && i < columns.size; ++i) {
        *out = {columns.without.Get(i) & stays_, columns.number[i], 0};
        out += columns.must[i] == 0;
      }
      if (kind == kInner) continue;
      auto choice = static_cast<std::uint32_t>(joints_.size());
      for (std::size_t i = 1; i < joints_.size(); ++i) {
        for (std::size_t j = i + 1; j < joints_.size(); ++j) {
          Take(i, j, choice++, columns, out, path);
        }
      }
    }
    return static_cast<std::size_t>(out - first);
  }

 private:
  static constexpr std::size_t kEnd = 2;  // a kind, beside kUntouched and kInner

  static constexpr std::uint64_t SlotMate(int slot) {
    return kFirstSlot + static_cast<std::uint64_t>(slot);
  }

  // Takes an edge at each of two joints: two neighbors, or the vertex and a neighbor.
  template <typename Path>
  void Take(std::size_t a, std::size_t b, std::uint32_t choice, Columns<words>& columns,
            Way<words>*& out, const Path& path) const {
    Join(*layout_, rule_.shape, joints_[a], joints_[b], stays_, columns);
    std::uint64_t closes = 0;
    for (std::size_t i = 0; i < columns.size; ++i) {
      *out = {columns.joined.Get(i), columns.number[i], choice};
      out += columns.goes_on[i];
      closes |= columns.closes[i];
    }
    if (closes == 0) return;
    for (std::size_t i = 0; i < columns.size; ++i) {
      if (columns.closes[i] == 0) continue;
      const Mates<words> mates = columns.mates.Get(i);
      if (!whole_.Is(mates, {joints_[0].bit, joints_[a].bit, joints_[b].bit})) continue;
      path(Way<words>{mates, columns.number[i], choice});
    }
  }

  const Layout* layout_;
  Rule rule_;
  std::vector<Joint> joints_;  // the vertex, then its neighbors
  Mates<words> entering_;      // terminals, in their slots
  Mates<words> stays_;         // bits of slots without a leaving vertex
  Whole<words> whole_;
};

}  // namespace simpath
