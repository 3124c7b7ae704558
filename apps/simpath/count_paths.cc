#include "apps/simpath/count_paths.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/graph/edge_list.h"
#include "apps/simpath/counting/any_graph.h"
#include "apps/simpath/counting/prepared.h"
#include "apps/simpath/order/order.h"
#include "apps/simpath/problem/lengths.h"
#include "apps/simpath/problem/mode.h"
#include "apps/simpath/problem/problem.h"
#include "topo/topo.h"

namespace simpath {
namespace {

absl::StatusOr<Problem> ProblemOf(const CountQuestion& question) {
  if (question.vertices > graph::kMaxVertices) {
    return absl::InvalidArgumentError(
        absl::StrCat(question.vertices, " vertices, expected at most ", graph::kMaxVertices));
  }
  graph::EdgeList list;
  list.vertices = question.vertices;
  list.direction = question.rule.direction;
  list.edges.reserve(question.edges.size());
  for (std::size_t i = 0; i < question.edges.size(); ++i) {
    const CountedEdge& edge = question.edges[i];
    if (edge.from >= question.vertices || edge.to >= question.vertices) {
      return absl::InvalidArgumentError(absl::StrCat("edge ", i, " joins ", edge.from, " and ",
                                                     edge.to, ", expected vertices below ",
                                                     question.vertices));
    }
    list.edges.push_back(
        {static_cast<graph::Vertex>(edge.from), static_cast<graph::Vertex>(edge.to)});
  }
  absl::StatusOr<Problem> problem =
      MakeProblem(list, question.source, question.target, question.rule);
  if (problem.ok() && question.max_length) {
    problem->max_length = question.max_length;
    if (question.rule.has_terminals()) return WithoutFarEdges(*problem, *question.max_length);
  }
  return problem;
}

}  // namespace

absl::StatusOr<Count> CountPaths(const CountQuestion& question, const CountSettings& settings) {
  const absl::StatusOr<Problem> problem = ProblemOf(question);
  if (!problem.ok()) return problem.status();
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const int threads = settings.threads > 0 ? settings.threads : topology->default_threads();
  const auto mapping = topo::Plan(*topology, topo::Policy::kNone, threads);
  if (!mapping.ok()) return mapping.status();
  const Prepared prepared(*problem, Reducing::kOn, Order::kBest);
  const auto quiet = [](const std::string&) {};
  return CountAnyGraph(prepared, Mode::kPartition, *topology, *mapping,
                       {.memory_limit = settings.memory_limit,
                        .progress = settings.progress ? settings.progress : quiet,
                        .checkpoint = {},
                        .check = Check::kOn});
}

}  // namespace simpath
