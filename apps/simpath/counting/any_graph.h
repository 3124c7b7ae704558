// Counts the paths of any graph edge by edge, by the modes that can.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "apps/program/checkpoint.h"
#include "apps/simpath/counting/prepared.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/mode.h"
#include "topo/topo.h"

namespace simpath {

// A value.
struct AnyGraphOptions {
  std::uint64_t memory_limit = ~std::uint64_t{0};
  std::function<void(const std::string&)> progress;  // with a line
  program::CheckpointOptions checkpoint;             // not of kEba
  Check check = Check::kOn;                          // frontier/residue.h
  bool may_walk = true;  // kPartition may walk the paths of a short bound one by one (walk.h)
};

// By the threads of the mapping, of which kSequential uses none. Errors: those of the mode that
// counts (apps/simpath/frontier), and of a checkpoint. Precondition: `mode` is not kArray.
absl::StatusOr<Count> CountAnyGraph(const Prepared& prepared, Mode mode,
                                    const topo::Topology& topology, const topo::Mapping& mapping,
                                    const AnyGraphOptions& options);

}  // namespace simpath
