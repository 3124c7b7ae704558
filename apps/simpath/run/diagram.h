// A small graph's paths as a diagram, and some of them drawn by lot.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "apps/simpath/run/flags.h"

namespace simpath {

// A value: what --dot and --paths ask for, of the first graph as its edges are ordered.
struct Diagram {
  std::string dot, paths;
  std::size_t nodes = 0;  // 0: nobody asked
};

// InvalidArgument where there is nothing to draw; ResourceExhausted: as Zdd::Of.
absl::StatusOr<Diagram> Draw(const Flags& flags, const Resolved& resolved);

}  // namespace simpath
