#include "apps/sdpa/instance.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/read.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/graph_problems.h"

namespace sdpa {
namespace {

absl::StatusOr<graph::EdgeList> ReadGraph(const std::string& file) {
  absl::StatusOr<graph::EdgeList> graph = graph::Read(file, {.format = std::nullopt, .parse = {}});
  constexpr std::uint64_t kMostVertices = 100'000;
  if (graph.ok() && (graph->vertices == 0 || graph->vertices > kMostVertices)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": it has ", graph->vertices,
                                                   " vertices; expected 1 to ", kMostVertices));
  }
  return graph;
}

}  // namespace

absl::StatusOr<std::string> ReadBytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return absl::NotFoundError(file + ": cannot be read");
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

absl::StatusOr<Instance> ReadInstance(const Flags& flags) {
  if (!flags.problem.empty()) {
    const auto bytes = ReadBytes(flags.problem);
    if (!bytes.ok()) return bytes.status();
    auto problem = Parse(FormatOf(flags.problem), flags.problem, *bytes);
    if (!problem.ok()) return problem.status();
    return Instance{flags.problem, *std::move(problem), std::nullopt};
  }
  if (!flags.generate.empty()) {
    auto generated = Generate(flags.generate);
    if (!generated.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--generate: ", std::string(generated.status().message())));
    }
    return Instance{generated->name, std::move(generated->problem), generated->value};
  }
  const std::string& file = flags.theta.empty() ? flags.max_cut : flags.theta;
  if (file.empty()) {
    return absl::InvalidArgumentError(
        "one of --problem, --generate, --theta and --max-cut says what to solve");
  }
  const auto graph = ReadGraph(file);
  if (!graph.ok()) return graph.status();
  return Instance{absl::StrCat(flags.theta.empty() ? "max-cut of " : "theta of ", file),
                  flags.theta.empty() ? MaxCut(*graph) : Theta(*graph), std::nullopt};
}

}  // namespace sdpa
