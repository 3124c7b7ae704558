// bfs's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/fast/direction.h"
#include "apps/bfs/measure/variant.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/problem/keys.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/reading.h"
#include "apps/graph/report.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace bfs {

// A value. As written; Resolve checks what CLI11 does not.
struct Flags {
  int scale = 16;
  std::uint64_t edge_factor = 16;
  std::string generator = "vicinity";
  std::optional<std::uint64_t> seed, seed1, seed2;
  graph::ReadFlags read;
  std::string save;
  int keys = kKeys;
  std::string policy = "scatter";
  std::string threads;
  std::string topology;
  std::string variant = "fast";
  std::string labels = "original";
  DirectionOptions direction;
  std::vector<std::uint64_t> roots;
  std::string memory_limit;
  std::string json;
  std::string svg;
  std::string output;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: what to search, and by which threads.
struct Resolved {
  topo::Topology topology;
  std::vector<topo::Mapping>
      mappings;  // policies by thread counts; unbound for a described machine
  std::vector<Variant> variants;
  std::vector<Labels> labels;
  DirectionOptions direction;
  std::vector<graph::Vertex> roots;  // none: keys are chosen
  std::uint64_t seed = 1;            // of the keys
  Tuples tuples;
  double reading_seconds = 0;           // of the file
  std::optional<graph::Report> report;  // of a file
};

// Looks at the machine and reads the file. Errors are sentences that name flag or file;
// ResourceExhausted where the forecast does not fit, before anything is built.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace bfs
