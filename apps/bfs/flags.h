// bfs's flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/keys.h"
#include "apps/bfs/tuples.h"
#include "apps/graph/kronecker.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace bfs {

// A value. As written; Resolve checks what CLI11 does not.
struct Flags {
  graph::Kronecker kronecker = {.scale = 16};
  std::string graph;
  std::string format;
  int keys = kKeys;
  std::string policy = "scatter";
  std::string threads;
  std::string topology;
  std::string json;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: what to search, and by which threads.
struct Resolved {
  topo::Topology topology;
  std::vector<topo::Mapping>
      mappings;  // policies by thread counts; unbound for a described machine
  Tuples tuples;
};

// Looks at the machine and reads the file. Errors are sentences that name flag or file.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace bfs
