#include "apps/sdpa/run/instance.h"

#include <cstdint>
#include <iostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/read.h"
#include "apps/graph/report.h"
#include "apps/program/bytes.h"
#include "apps/program/memory.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/files/read_bytes.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/graph_problems.h"
#include "apps/sdpa/solve/memory.h"
#include "apps/sdpa/solve/options.h"

namespace sdpa {
namespace {

absl::StatusOr<graph::EdgeList> ReadGraph(const Flags& flags, const std::string& file) {
  const bool is_cut = flags.theta.empty();
  graph::ReadOptions options;
  options.parse.ids = flags.first_id == 1 ? graph::IdRule::kFromOne : graph::IdRule::kFromZero;
  options.parse.keep_weights = is_cut;
  absl::StatusOr<graph::ReadGraph> read = graph::Read(file, options);
  if (!read.ok()) return read.status();
  const graph::EdgeList& graph = read->list;
  constexpr std::uint64_t kMostVertices = 100'000;
  if (graph.vertices == 0 || graph.vertices > kMostVertices) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": it has ", graph.vertices,
                                                   " vertices; expected 1 to ", kMostVertices));
  }
  if (is_cut && graph.direction == graph::Direction::kDirected) {
    return absl::InvalidArgumentError(absl::StrCat(
        file,
        ": its edges have directions (a .gr file, or a general matrix); --max-cut expects "
        "edges without them"));
  }
  std::cerr << "sdpa: " << graph::ToText(read->report) << std::endl;
  return std::move(read->list);
}

// "theta of g.txt (5 vertices, 1 edge)": whether an id or a line was meant otherwise than it was
// read is seen by these numbers.
std::string NameOf(const Flags& flags, const std::string& file, const graph::EdgeList& graph) {
  const std::size_t edges = graph.edges.size();
  return absl::StrCat(flags.theta.empty() ? "max-cut of " : "theta of ", file, " (", graph.vertices,
                      graph.vertices == 1 ? " vertex, " : " vertices, ", edges,
                      edges == 1 ? " edge)" : " edges)");
}

// Before the problem is made, whose F_0 may have an element for each pair of vertices.
absl::Status CheckMemory(const Flags& flags, const std::string& name, std::uint64_t vertices) {
  const auto available = program::AvailableBytes();
  const Block block = {Shape::kDense, static_cast<int>(vertices)};
  const double needed =
      BytesOfBlockMatrices({block}, flags.precision == kPrecisions.Print(Precision::kDoubleDouble));
  if (!available || needed < static_cast<double>(*available)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(name, ": the block's matrices need ", program::FormatBytes(needed),
                   "; there is ", program::FormatBytes(static_cast<double>(*available))));
}

absl::StatusOr<Instance> OfGraph(const Flags& flags) {
  const std::string& file = flags.theta.empty() ? flags.max_cut : flags.theta;
  const auto graph = ReadGraph(flags, file);
  if (!graph.ok()) return graph.status();
  std::string name = NameOf(flags, file, *graph);
  if (auto status = CheckMemory(flags, name, graph->vertices); !status.ok()) return status;
  Problem problem = !flags.theta.empty()     ? Theta(*graph)
                    : graph->weights.empty() ? MaxCut(*graph)
                                             : MaxCut(*graph, graph->weights);
  return Instance{std::move(name), std::move(problem), std::nullopt};
}

absl::StatusOr<Instance> ReadOrMake(const Flags& flags) {
  if (!flags.problem.empty()) {
    const auto bytes = ReadBytes(flags.problem);
    if (!bytes.ok()) return bytes.status();
    auto problem = Parse(FormatOf(flags.problem), flags.problem, *bytes);
    if (!problem.ok()) return problem.status();
    return Instance{flags.problem, *std::move(problem), std::nullopt, HasIntegers(*bytes)};
  }
  if (!flags.generate.empty()) {
    auto generated = Generate(flags.generate);
    if (!generated.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--generate: ", std::string(generated.status().message())));
    }
    return Instance{generated->name, std::move(generated->problem), generated->value};
  }
  if (flags.theta.empty() && flags.max_cut.empty()) {
    return absl::InvalidArgumentError(
        "one of --problem, --generate, --theta and --max-cut says what to solve");
  }
  return OfGraph(flags);
}

// Zeros are written too, and a text of more numbers than this has gigabytes.
absl::Status CheckText(const Flags& flags, const Problem& problem) {
  constexpr double kMostNumbers = 1e8;
  const double numbers = NumbersOfDenseText(problem);
  if (flags.write.empty() || FormatOf(flags.write) != Format::kDense || numbers <= kMostNumbers) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--write=", flags.write, ": as dense text it has ",
                                                 numbers, " numbers, expected at most ",
                                                 kMostNumbers, "; .dat-s is the sparse format"));
}

}  // namespace

absl::StatusOr<Instance> ReadInstance(const Flags& flags) {
  if (flags.first_id && flags.theta.empty() && flags.max_cut.empty()) {
    return absl::InvalidArgumentError("--first-id has an effect with --theta and --max-cut only");
  }
  absl::StatusOr<Instance> instance = ReadOrMake(flags);
  if (!instance.ok()) return instance;
  if (auto status = CheckText(flags, instance->problem); !status.ok()) return status;
  return instance;
}

}  // namespace sdpa
