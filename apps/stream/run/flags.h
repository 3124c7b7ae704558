// stream's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/stream/measure/measure.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace stream {

// A value. As written; words are checked by CLI11, the rest by Resolve.
struct Flags {
  std::string policy = "scatter";
  std::string threads;
  std::optional<std::int64_t> elements;
  std::string topology;
  std::string json;
  std::string svg;
  bool oversubscribe = false;
  bool verify_placement = false;
  Options options;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: the measurements to make.
struct Resolved {
  topo::Topology topology;
  std::vector<topo::Mapping> mappings;  // policies by thread counts
  Options options;
  std::string note;  // of ChooseSize
};

// Looks at the machine. Errors are sentences that name the flag.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace stream
