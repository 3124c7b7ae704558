#include "apps/simpath/plan.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>

namespace simpath {

using graph::Vertex;

Plan MakePlan(const Problem& problem) {
  constexpr int kNone = -1;
  std::vector<std::size_t> last(problem.vertices, 0);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    last[problem.edges[i].from] = last[problem.edges[i].to] = i;
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
      if (last[end] != i) continue;
      step.leaving.push_back(slot[end]);
      unused.push(slot[end]);
      --width;
    }
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

}  // namespace simpath
