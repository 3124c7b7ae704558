#include "apps/simpath/frontier/plan.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <utility>

namespace simpath {

using graph::Vertex;

namespace {

// The first and the last edge of each vertex.
struct Stays {
  explicit Stays(const Problem& problem)
      : first(problem.vertices, ~std::size_t{0}), last(problem.vertices, 0) {
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      for (const Vertex end : {problem.edges[i].from, problem.edges[i].to}) {
        first[end] = std::min(first[end], i);
        last[end] = i;
      }
    }
  }

  std::vector<std::size_t> first, last;  // edges, by vertex
};

struct Range {
  std::size_t first = 0, last = 0;  // edges, `last` not among them
  std::optional<Vertex> vertex;     // of a stage of one vertex
};

bool Has(const graph::Edge& edge, Vertex vertex) {
  return edge.from == vertex || edge.to == vertex;
}

// The edges of a stage of one vertex that begins with `first`. No vertex enters after another has
// left, because the slot would be reused within the stage.
std::optional<Range> OfOneVertex(const Problem& problem, const Stays& stays, std::size_t first) {
  for (const Vertex vertex : {problem.edges[first].from, problem.edges[first].to}) {
    const std::size_t last = stays.last[vertex] + 1;
    if (last - first > static_cast<std::size_t>(kMostOfOneVertex)) continue;
    bool fits = true, left = false;
    for (std::size_t i = first; i < last && fits; ++i) {
      const graph::Edge edge = problem.edges[i];
      const bool enters = stays.first[edge.from] == i || stays.first[edge.to] == i;
      fits = Has(edge, vertex) && !(left && enters);
      left = left || stays.last[edge.from] == i || stays.last[edge.to] == i;
    }
    if (fits) return Range{first, last, vertex};
  }
  return std::nullopt;
}

// Stages of one vertex (vertex_rule.h) know neither directions nor paths with any ends.
bool MayBeOfOneVertex(const Rule& rule) {
  return !rule.is_directed() && (rule.shape == Shape::kCycles || rule.ends == Ends::kGiven);
}

std::vector<Range> RangesOf(const Problem& problem, const Stays& stays, std::size_t longest) {
  const auto of_one_vertex = [&](std::size_t first) -> std::optional<Range> {
    if (longest == 1 || !MayBeOfOneVertex(problem.rule)) return std::nullopt;
    return OfOneVertex(problem, stays, first);
  };
  std::vector<Range> ranges;
  for (std::size_t first = 0; first < problem.edges.size(); first = ranges.back().last) {
    if (const auto of_one = of_one_vertex(first)) {
      ranges.push_back(*of_one);
      continue;
    }
    Range range = {first, first, std::nullopt};
    bool left = false;
    do {
      const graph::Edge edge = problem.edges[range.last++];
      left = stays.last[edge.from] + 1 == range.last || stays.last[edge.to] + 1 == range.last;
    } while (!left && range.last < problem.edges.size() && range.last - first < longest &&
             !of_one_vertex(range.last));
    ranges.push_back(range);
  }
  return ranges;
}

// Fills the choices of a stage with these weights of edges.
void AddChoices(const std::vector<Count>& edges, Stage& stage) {
  const std::size_t pairs = edges.size() * (edges.size() - 1) / 2;
  const bool of_one = stage.vertex != Stage::kNone;
  stage.choices = of_one ? 1 + edges.size() + pairs : std::size_t{1} << edges.size();
  stage.is_weighted = std::any_of(edges.begin(), edges.end(),
                                  [](const Count& weight) { return weight != Count(1); });
  if (!stage.is_weighted) {
    stage.most_ways = of_one ? std::max(edges.size(), 1 + pairs) : stage.choices;
    return;
  }
  std::vector<Count>& weights = stage.weights = {1};
  if (!of_one) {
    for (const Count& weight : edges) {
      const std::size_t without = weights.size();
      for (std::size_t choice = 0; choice < without; ++choice) {
        weights.push_back(weights[choice] * weight);
      }
    }
    for (const Count& weight : weights) stage.most_ways += weight;
    return;
  }
  // One edge if the vertex is the end of a path, otherwise none or two.
  Count one, others = 1;
  for (const Count& weight : edges) {
    weights.push_back(weight);
    one += weight;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size(); ++j) {
      weights.push_back(edges[i] * edges[j]);
      others += weights.back();
    }
  }
  stage.most_ways = std::max(one, others);
}

// The slots of the frontier's vertices.
class Slots {
 public:
  explicit Slots(std::uint64_t vertices) : slot_(vertices, kNone) {}

  bool IsIn(Vertex vertex) const { return slot_[vertex] != kNone; }
  int of(Vertex vertex) const { return slot_[vertex]; }
  int Enter(Vertex vertex) {
    if (unused_.empty()) unused_.push(count_++);
    slot_[vertex] = unused_.top();
    unused_.pop();
    return slot_[vertex];
  }
  void Leave(Vertex vertex) { unused_.push(slot_[vertex]); }
  int count() const { return count_; }

 private:
  static constexpr int kNone = -1;

  std::vector<int> slot_;
  std::priority_queue<int, std::vector<int>, std::greater<>> unused_;  // the lowest first
  int count_ = 0;
};

}  // namespace

Plan MakePlan(const Problem& problem, int longest_stage) {
  std::vector<int> left(problem.vertices, 0);  // undecided edges
  for (const auto [from, to] : problem.edges) {
    ++left[from];
    ++left[to];
  }
  const Stays stays(problem);
  Slots slots(problem.vertices);
  Plan plan = {.steps = {}, .stages = {}, .widths = {}, .slots = 0, .rule = problem.rule};
  std::set<int> occupied;
  std::uint64_t entered = 0;
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto [from, to] = problem.edges[i];
    Step step;
    for (const Vertex end : {from, to}) {
      if (slots.IsIn(end)) continue;
      const int slot = slots.Enter(end);
      occupied.insert(slot);
      ++entered;
      if (!problem.rule.has_terminals()) continue;
      for (const bool is_target : {false, true}) {
        if (end == (is_target ? problem.target : problem.source)) {
          step.terminals.push_back({slot, is_target});
        }
      }
    }
    step.occupied.assign(occupied.begin(), occupied.end());
    step.all_entered = entered == problem.vertices;
    step.from = slots.of(from);
    step.to = slots.of(to);
    if (!problem.weights.empty()) step.weight = problem.weights[i];
    plan.widths.push_back(static_cast<int>(occupied.size()));
    for (const Vertex end : {from, to}) {
      if (--left[end] == 1) step.one_left.push_back(slots.of(end));
      if (left[end] > 0) continue;
      step.leaving.push_back(slots.of(end));
      slots.Leave(end);
      occupied.erase(slots.of(end));
    }
    plan.steps.push_back(std::move(step));
  }
  plan.slots = slots.count();
  for (const Range& range : RangesOf(problem, stays, static_cast<std::size_t>(longest_stage))) {
    Stage stage = {.first = range.first, .last = range.last};
    if (range.vertex) stage.vertex = slots.of(*range.vertex);
    std::vector<Count> weights;
    for (std::size_t step = range.first; step < range.last; ++step) {
      weights.push_back(plan.steps[step].weight);
    }
    AddChoices(weights, stage);
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

}  // namespace simpath
