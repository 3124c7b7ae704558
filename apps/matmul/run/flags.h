// matmul's flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/matmul/measure/measure.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace matmul {

// What --svg draws.
enum class Figure { kSpeed, kSteals };

// A value. As written; words are checked by CLI11, the rest by Resolve.
struct Flags {
  std::string variants = "all";
  std::string policy = "random";
  std::string candidates = "2,4,8,16,32";
  std::string workers;
  std::string mode = "real";
  std::string peeks = "fresh";
  std::string matrices = "one-node";
  std::string figure = "speed";
  std::string json;
  std::string svg;
  std::optional<int> repetitions;
  bool oversubscribe = false;
  Options options;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: the measurements to make.
struct Resolved {
  topo::Topology topology;
  std::vector<int> workers;
  Figure figure = Figure::kSpeed;
  Options options;
};

// Looks at the machine. Errors are sentences that name the flag.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace matmul
