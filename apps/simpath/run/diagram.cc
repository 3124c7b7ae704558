#include "apps/simpath/run/diagram.h"

#include <random>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apps/simpath/frontier/zdd.h"
#include "apps/simpath/order/order.h"

namespace simpath {

absl::StatusOr<Diagram> Draw(const Flags& flags, const Resolved& resolved) {
  Diagram diagram;
  if (flags.dot.empty() && flags.paths.empty()) return diagram;
  const Instance& instance = resolved.instances.front();
  if (instance.problem.source == instance.problem.target) {
    return absl::InvalidArgumentError(
        "--dot and --paths need two vertices: from one to itself there is the path of no edge");
  }
  const Problem problem = Ordered(instance.problem, resolved.order);
  const auto zdd = Zdd::Of(problem, resolved.memory_limit);
  if (!zdd.ok()) return zdd.status();
  diagram.nodes = zdd->size();
  if (!flags.dot.empty()) diagram.dot = zdd->ToDot(problem, instance.ids);
  if (flags.paths.empty() || zdd->root() == Zdd::kZero) return diagram;
  const Sampler sampler(*zdd);
  std::mt19937_64 random(flags.seed);
  for (int i = 0; i < flags.samples; ++i) {
    const auto vertices = VerticesOf(problem, sampler.Draw(random));
    const auto add_id = [&](std::string* text, graph::Vertex vertex) {
      absl::StrAppend(text, instance.ids.of(vertex));
    };
    absl::StrAppend(&diagram.paths, absl::StrJoin(vertices, " ", add_id), "\n");
  }
  return diagram;
}

}  // namespace simpath
