// predict's flags.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/predict/machine/machine.h"
#include "apps/predict/run/predictions.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace predict {

// A value. As written; words are checked by CLI11, the rest by Resolve.
struct Flags {
  std::string program = "stream";
  std::string machine = "4x-e5-4640";
  std::string policy = "all";
  std::string threads = "all";
  std::string placement = "local";
  std::string store = "ordinary";
  std::string team = "each-loop";
  std::string json, svg;
  Questions questions;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: the predictions to make.
struct Resolved {
  Machine machine;
  std::vector<topo::Mapping> mappings;  // policies by thread counts
  Questions questions;
};

// Errors are sentences that name the flag: one that means nothing to the program is refused.
absl::StatusOr<Resolved> Resolve(const CLI::App& app, const Flags& flags);

}  // namespace predict
