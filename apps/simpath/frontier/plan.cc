#include "apps/simpath/frontier/plan.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>

namespace simpath {

namespace {

std::vector<Stage> StagesOf(const std::vector<Step>& steps, std::size_t longest) {
  std::vector<Stage> stages;
  Stage stage;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    stage.last = i + 1;
    const bool ends = !steps[i].leaving.empty() || stage.last - stage.first == longest;
    if (!ends && i + 1 < steps.size()) continue;
    stage.weights = {1};
    for (std::size_t step = stage.first; step < stage.last; ++step) {
      const Count& weight = steps[step].weight;
      stage.is_weighted = stage.is_weighted || weight != Count(1);
      const std::size_t without = stage.weights.size();
      for (std::size_t taken = 0; taken < without; ++taken) {
        stage.weights.push_back(stage.weights[taken] * weight);
      }
    }
    for (const Count& weight : stage.weights) stage.all_weights += weight;
    stages.push_back(std::move(stage));
    stage = {.first = i + 1};
  }
  return stages;
}

}  // namespace

using graph::Vertex;

Plan MakePlan(const Problem& problem, int longest_stage) {
  constexpr int kNone = -1;
  std::vector<int> left(problem.vertices, 0);  // undecided edges
  for (const auto [from, to] : problem.edges) {
    ++left[from];
    ++left[to];
  }
  std::vector<int> slot(problem.vertices, kNone);
  std::priority_queue<int, std::vector<int>, std::greater<>> unused;  // the lowest first
  Plan plan;
  int width = 0;
  std::size_t entered = 0;  // terminals
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto [from, to] = problem.edges[i];
    Step step;
    for (const Vertex end : {from, to}) {
      if (slot[end] != kNone) continue;
      if (unused.empty()) unused.push(plan.slots++);
      slot[end] = unused.top();
      unused.pop();
      ++width;
      if (end == problem.source || end == problem.target) step.terminals.push_back(slot[end]);
    }
    entered += step.terminals.size();
    step.both_entered = entered == 2;
    step.from = slot[from];
    step.to = slot[to];
    if (!problem.weights.empty()) step.weight = problem.weights[i];
    plan.widths.push_back(width);
    for (const Vertex end : {from, to}) {
      if (--left[end] == 1) step.one_left.push_back(slot[end]);
      if (left[end] > 0) continue;
      step.leaving.push_back(slot[end]);
      unused.push(slot[end]);
      --width;
    }
    plan.steps.push_back(std::move(step));
  }
  plan.stages = StagesOf(plan.steps, static_cast<std::size_t>(longest_stage));
  return plan;
}

}  // namespace simpath
