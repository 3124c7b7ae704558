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

// The caches of a node's PUs, from the largest: "L3 20 MiB, 8 × L2 256 KiB, ...".
// Empty where the machine reports none.
std::string DescribeCaches(const Topology& topology, NodeId node);

// The further nodes that are local to the PUs of node `home`: other tiers.
std::vector<NodeId> NodesBeside(const Topology& topology, NodeId home);

// The machine as an indented tree, one line each for the machine, packages,
// NUMA nodes and cores, ending in a newline.
std::string DescribeTree(const Topology& topology);

}  // namespace topo
