// The machine in words: the tree that `topo show` prints.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topo/topology.h"

namespace topo {

// As "128 GiB", "512 KiB", "100 B": the largest unit that leaves at least 1,
// with at most one decimal.
std::string FormatBytes(std::uint64_t bytes);

// By node, the caches of its PUs, from the largest: "L3 20 MiB, 8 × L2 256 KiB, ...".
// Empty where the machine reports none.
std::vector<std::string> DescribeCaches(const Topology& topology);

// By node, the further nodes that are local to its PUs: other tiers.
std::vector<std::vector<NodeId>> NodesBeside(const Topology& topology);

// The machine as an indented tree, one line each for the machine, packages,
// NUMA nodes and cores, ending in a newline. A node of several packages is described once.
std::string DescribeTree(const Topology& topology);

}  // namespace topo
