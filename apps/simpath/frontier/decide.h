// How mates change as the edges of a stage are decided, for many states at once. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "apps/simpath/frontier/edge_rule.h"
#include "apps/simpath/frontier/join.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/vertex_rule.h"

namespace simpath {

inline Layout LayoutOf(const Plan& plan) {
  return Layout(plan.slots, plan.rule.is_directed() ? Roles::kKept : Roles::kNone);
}

// A value: all stages of a plan; the layout outlives it.
template <int words>
class Rules {
 public:
  using Edges = std::vector<EdgeRule<words>>;
  using OfStage = std::variant<Edges, VertexRule<words>>;

  Rules(const Plan& plan, const Layout& layout) {
    for (const Stage& stage : plan.stages) {
      most_choices_ = std::max(most_choices_, stage.choices);
      const std::span<const Step> steps =
          std::span(plan.steps).subspan(stage.first, stage.last - stage.first);
      if (stage.vertex != Stage::kNone) {
        stages_.emplace_back(VertexRule<words>(layout, plan.rule, steps, stage.vertex));
        continue;
      }
      Edges& edges = std::get<Edges>(stages_.emplace_back());
      for (const Step& step : steps) edges.emplace_back(layout, plan.rule, step);
    }
  }

  const OfStage& operator[](std::size_t stage) const { return stages_[stage]; }
  std::size_t most_choices() const { return most_choices_; }

 private:
  std::vector<OfStage> stages_;
  std::size_t most_choices_ = 1;
};

// A value: states that are decided together. Threads: one.
template <int words>
class Batch {
 public:
  static constexpr std::size_t kStates = VertexRule<words>::kMostStates;

  explicit Batch(const Rules<words>& rules)
      : rules_(&rules),
        ways_(kStates * std::max(rules.most_choices(), std::size_t{1} << kLongestStage)),
        next_(ways_.size()) {
    states_.reserve(kStates);
  }

  std::size_t size() const { return states_.size(); }
  bool is_full() const { return states_.size() == kStates; }
  // Its number is the size before.
  void Add(const Mates<words>& mates) { states_.push_back(mates); }

  // Decides the edges of the stage of that number for all states, which are gone then. Returns the
  // ways that go on, for as long as Decide is not called again; calls path(way) for each that is a
  // path.
  template <typename Path>
  std::span<const Way<words>> Decide(std::size_t stage, const Path& path) {
    const std::size_t ways =
        std::visit([&](const auto& rule) { return DecideBy(rule, path); }, (*rules_)[stage]);
    states_.clear();
    return std::span(ways_).first(ways);
  }

 private:
  template <typename Path>
  std::size_t DecideBy(const VertexRule<words>& rule, const Path& path) {
    return rule.Decide(states_, *columns_, ways_.data(), path);
  }
  template <typename Path>
  std::size_t DecideBy(const typename Rules<words>::Edges& rules, const Path& path) {
    std::size_t ways = states_.size();
    for (std::uint32_t i = 0; i < ways; ++i) ways_[i] = {states_[i], i, 0};
    for (std::size_t step = 0; step < rules.size(); ++step) {
      ways = rules[step].Decide(std::span(ways_).first(ways), 1u << step, next_.data(), path);
      std::swap(ways_, next_);
    }
    return ways;
  }

  const Rules<words>* rules_;
  std::vector<Mates<words>> states_;
  std::vector<Way<words>> ways_, next_;
  // Not on a stack: ASan's stacks have no such alignment.
  std::unique_ptr<Columns<words>> columns_ = std::make_unique<Columns<words>>();
};

}  // namespace simpath
