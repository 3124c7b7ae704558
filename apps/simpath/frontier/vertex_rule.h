// How mates change as all edges of a vertex are decided that it has left, and it leaves. Pure.
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

namespace simpath {

// A value: a stage of one vertex, in the bits of mates. An end takes one of its edges, others none
// or two. States are sorted by what the vertex is.
template <int words>
class VertexRule {
 public:
  static constexpr std::size_t kMostStates = Columns<words>::kMost;

  // The steps of the stage, whose vertex is in that slot.
  VertexRule(const Layout& layout, std::span<const Step> steps, int slot)
      : layout_(&layout), ends_(EndBits<words>(layout)) {
    for (std::uint64_t& word : stays_.word) word = ~std::uint64_t{0};
    joints_.push_back({.bit = layout.bit(slot), .slot = SlotMate(slot), .leaves = 1});
    for (const Step& step : steps) {
      const int other = step.from == slot ? step.to : step.from;
      Joint joint = {.bit = layout.bit(other), .slot = SlotMate(other)};
      for (const int terminal : step.terminals) entering_.Flip(layout.bit(terminal), kOutside);
      for (const int leaving : step.leaving) {
        stays_.Clear(layout.bit(leaving), layout.mask());
        if (leaving == other) joint.leaves = 1;
      }
      for (const int one_left : step.one_left) {
        if (one_left == other) joint.has_one_left = 1;
      }
      joints_.push_back(joint);
    }
  }

  // Decides the stage for all states, whose numbers are their places. Writes the ways to `out`,
  // which has room for all choices of each state, and returns how many. Calls path(way) as
  // EdgeRule::Decide.
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
      for (std::size_t i = 0; i < columns.size; ++i) {
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

  // An edge at each of two joints, or, which is the same, the edge between the vertex and another.
  template <typename Path>
  void Take(std::size_t a, std::size_t b, std::uint32_t choice, Columns<words>& columns,
            Way<words>*& out, const Path& path) const {
    Join(*layout_, joints_[a], joints_[b], stays_, columns);
    std::uint64_t closes = 0;
    for (std::size_t i = 0; i < columns.size; ++i) {
      *out = {columns.joined.Get(i), columns.number[i], choice};
      out += columns.goes_on[i];
      closes |= columns.closes[i];
    }
    if (closes == 0) return;
    Mates<words> others = ends_;
    others.Clear(joints_[a].bit, layout_->mask());
    others.Clear(joints_[b].bit, layout_->mask());
    for (std::size_t i = 0; i < columns.size; ++i) {
      if (columns.closes[i] == 0 || !(columns.mates.Get(i) & others).IsZero()) continue;
      path(Way<words>{columns.mates.Get(i), columns.number[i], choice});
    }
  }

  const Layout* layout_;
  std::vector<Joint> joints_;  // the vertex, then its neighbors
  Mates<words> entering_;      // terminals, in their slots
  Mates<words> stays_;         // the bits of all slots that no vertex leaves
  Mates<words> ends_;          // the bits that ends of paths have
};

}  // namespace simpath
