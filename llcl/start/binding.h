// Which PUs each rank of a machine may use, by topo's policies.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/pu_set.h"
#include "topo/topology.h"

namespace llcl {

enum class Binding {
  kNone,  // all that the launcher may use
  kCore,  // a core of its own, in topo's order compact+: a NUMA node is filled, then the next
  kNuma,  // all allowed PUs of a NUMA node; consecutive ranks are on one node
};

// "none", "core" or "numa". Errors: InvalidArgument.
absl::StatusOr<Binding> ParseBinding(std::string_view name);

// The PUs of each rank; empty for kNone. Errors: InvalidArgument where there are fewer cores than
// ranks, with both numbers.
absl::StatusOr<std::vector<topo::PuSet>> BindRanks(const topo::Topology& machine, Binding binding,
                                                   int ranks);

}  // namespace llcl
