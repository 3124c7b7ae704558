// A machine as hwloc has read it, written down as a value.
//
// Threads: any, each with a topology of its own.
#pragma once

#include <string>

#include "topo/topology.h"

struct hwloc_topology;

namespace topo {

// Precondition: the topology is loaded, with HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED.
MachineDescription ReadMachine(hwloc_topology* topology, std::string source);

}  // namespace topo
