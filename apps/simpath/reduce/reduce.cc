#include "apps/simpath/reduce/reduce.h"

#include <algorithm>
#include <utility>

#include "apps/simpath/reduce/blocks.h"
#include "apps/simpath/reduce/network.h"
#include "apps/simpath/reduce/separators.h"
#include "apps/simpath/reduce/series_parallel.h"

namespace simpath {

// A resource of one call. Networks wait on a stack of its own, as sides may lie in sides as deep as
// the graph is large.
class Reducer {
 public:
  explicit Reducer(const ReduceOptions& options)
      : steps_(options.separator_steps), separator_vertices_(options.separator_vertices) {}

  Reduction Run(const Problem& problem) {
    if (problem.source == problem.target) {
      reduction_.paths_ = kOne;
      return std::move(reduction_);
    }
    Network network = {.vertices = problem.vertices,
                       .links = {},
                       .source = problem.source,
                       .target = problem.target};
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      const auto [from, to] = problem.edges[i];
      const Term weight = problem.weights.empty() ? kOne : formula().Constant(problem.weights[i]);
      if (weight != kZero) network.links.push_back({from, to, weight, i});
    }
    std::vector<Network> blocks = BlocksBetweenPoles(network);
    reduction_.made_.dropped = problem.edges.size();
    for (const Network& block : blocks) reduction_.made_.dropped -= block.links.size();
    reduction_.paths_ = blocks.empty() ? kZero : PathsThrough(std::move(blocks));
    while (!waiting_.empty()) {
      Waiting next = std::move(waiting_.back());
      waiting_.pop_back();
      formula().Set(next.paths, PathsOf(std::move(next.block)));
    }
    return std::move(reduction_);
  }

 private:
  struct Waiting {
    Network block;
    Term paths;
  };

  Formula& formula() { return reduction_.formula_; }

  // The blocks are reduced later.
  Term PathsThrough(std::vector<Network> blocks) {
    Term paths = kOne;
    reduction_.made_.blocks += blocks.size();
    for (Network& block : blocks) {
      const Term later = formula().Later();
      paths = formula().Product(paths, later);
      waiting_.push_back({std::move(block), later});
    }
    return paths;
  }

  Term PathsOf(Network block) {
    Contract(block);
    if (block.links.size() == 1) return block.links[0].weight;
    std::vector<std::vector<Link>> components = ComponentsBetweenPoles(block);
    if (components.size() > 1) {
      Term paths = kZero;
      reduction_.made_.components += components.size();
      for (std::vector<Link>& links : components) {
        const Network component = MakeNetwork(std::move(links), block.source, block.target);
        const Term its_paths = PathsThrough(BlocksBetweenPoles(component));
        paths = paths == kZero ? its_paths : formula().Sum(paths, its_paths);
      }
      return paths;
    }
    if (block.vertices > separator_vertices_) return AddPart(block);
    reduction_.made_.sides += ReplaceSides(
        block, steps_, [&](const Network& side) { return PathsThrough(BlocksBetweenPoles(side)); });
    Contract(block);
    return AddPart(block);
  }

  void Contract(Network& network) {
    const Contractions made = ContractSeriesAndParallel(network, formula());
    reduction_.made_.series += made.series;
    reduction_.made_.parallel += made.parallel;
  }

  Term AddPart(const Network& network) {
    Problem part = {.vertices = network.vertices,
                    .edges = {},
                    .source = network.source,
                    .target = network.target,
                    .weights = {}};
    std::vector<Term> weights;
    for (const Link& link : network.links) {
      part.edges.push_back({link.from, link.to});
      weights.push_back(link.weight);
    }
    reduction_.parts_.push_back(std::move(part));
    return formula().Part(std::move(weights));
  }

  Reduction reduction_;
  std::vector<Waiting> waiting_;
  std::uint64_t steps_;  // left
  std::uint64_t separator_vertices_;
};

void Reduction::Reorder(std::size_t part, std::span<const std::size_t> order) {
  std::vector<graph::Edge> edges;
  for (const std::size_t edge : order) edges.push_back(parts_[part].edges[edge]);
  parts_[part].edges = std::move(edges);
  formula_.Reorder(part, order);
}

absl::StatusOr<Count> Reduction::CountPaths(const CountPart& count) const {
  return formula_.Evaluate(paths_, [&](std::size_t part, std::vector<Count> weights) {
    Problem problem = parts_[part];
    const bool all_one = std::all_of(weights.begin(), weights.end(),
                                     [](const Count& weight) { return weight == 1; });
    if (!all_one) problem.weights = std::move(weights);
    return count(part, problem);
  });
}

Reduction Reduce(const Problem& problem, const ReduceOptions& options) {
  return Reducer(options).Run(problem);
}

}  // namespace simpath
