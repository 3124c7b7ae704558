// How much memory there is for a program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "topo/topo.h"

namespace program {

// "MemAvailable:  123 kB" of a /proc/meminfo in bytes; nullopt without it.
std::optional<std::uint64_t> ParseMemAvailable(std::string_view meminfo);

// What this process may still take, in bytes: what the system has available, or
// less where the limit of one of its cgroups (version 1 or 2) leaves less.
// nullopt: it is not known. `root` is "/" except in tests.
std::optional<std::uint64_t> AvailableBytes(const std::filesystem::path& root = "/");

// The available bytes of one NUMA node, by the operating system's number of it:
// free, or taken by file pages that the system would give back.
std::optional<std::uint64_t> AvailableBytesOfNode(int os_index,
                                                  const std::filesystem::path& root = "/");

// The nodes that the mapping's threads allocate from, ascending; of policy none, whose threads may
// be anywhere, all that are allowed.
std::vector<topo::NodeId> MemoryNodesOf(const topo::Mapping& mapping,
                                        const topo::Topology& topology);

// The most memory that this process has had at once, in bytes.
std::uint64_t MaxRssBytes();

}  // namespace program
