// The machine as a picture: SVG text that a browser, a report or a README shows.
//
// Packages are frames, NUMA nodes cards, cores boxes, PUs cells. A cell bears
// the operating system's number; where a mapping puts a thread there, the cell
// is filled in the node's color and bears the thread's number too. What the
// process may not use is hatched.
//
// Pure. The picture adapts to light, dark and print by its own style sheet.
#pragma once

#include <string>

#include "topo/mapping.h"
#include "topo/topology.h"

namespace topo {

// The machine alone.
std::string DrawSvg(const Topology& topology);

// The machine with the threads of `mapping` on it.
std::string DrawSvg(const Topology& topology, const Mapping& mapping);

}  // namespace topo
