#include "apps/program/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <sstream>

#include "topo/cpu_quota.h"

namespace program {
namespace {

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The number after `key` at the start of a line.
std::optional<std::uint64_t> NumberAfter(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return ParseNumber(line);
  }
  return std::nullopt;
}

// One level of a cgroup hierarchy: its limit less its use, where it has one.
struct CgroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  // key in memory.stat: counted as used, given back on demand
};
constexpr CgroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_inactive_file "};
constexpr CgroupFiles kVersion2 = {"memory.max", "memory.current", "inactive_file "};

std::optional<std::uint64_t> Left(const std::filesystem::path& folder, const CgroupFiles& files) {
  const auto limit = ParseNumber(ReadAll(folder / files.limit));  // "max" is no number
  const auto used = ParseNumber(ReadAll(folder / files.used));
  if (!limit || !used) return std::nullopt;
  const std::uint64_t reclaimable =
      NumberAfter(ReadAll(folder / "memory.stat"), files.reclaimable).value_or(0);
  const std::uint64_t held = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, held);
}

// The least that any level from the process's own up to the mount has left.
void Tighten(std::optional<std::uint64_t>& bytes, const std::filesystem::path& mount,
             std::optional<std::string_view> path, const CgroupFiles& files) {
  if (!path) return;
  std::filesystem::path folder = std::filesystem::path(*path).relative_path();
  for (;; folder = folder.parent_path()) {
    const auto left = Left(mount / folder, files);
    if (left) bytes = std::min(bytes.value_or(*left), *left);
    if (folder.empty()) return;
  }
}

}  // namespace

std::optional<std::uint64_t> ParseMemAvailable(std::string_view meminfo) {
  const auto kilobytes = NumberAfter(meminfo, "MemAvailable:");
  if (!kilobytes) return std::nullopt;
  return *kilobytes * 1024;
}

std::optional<std::uint64_t> AvailableBytes(const std::filesystem::path& root) {
  std::optional<std::uint64_t> bytes = ParseMemAvailable(ReadAll(root / "proc/meminfo"));
  const std::string cgroups = ReadAll(root / "proc/self/cgroup");
  Tighten(bytes, root / "sys/fs/cgroup", topo::CgroupPath(cgroups, ""), kVersion2);
  Tighten(bytes, root / "sys/fs/cgroup/memory", topo::CgroupPath(cgroups, "memory"), kVersion1);
  return bytes;
}

std::optional<std::uint64_t> AvailableBytesOfNode(int os_index, const std::filesystem::path& root) {
  const std::string node = "node" + std::to_string(os_index);
  const std::string text = ReadAll(root / "sys/devices/system/node" / node / "meminfo");
  const std::string key = "Node " + std::to_string(os_index) + " ";
  const auto free = NumberAfter(text, key + "MemFree:");
  if (!free) return std::nullopt;
  const auto files = NumberAfter(text, key + "Active(file):").value_or(0) +
                     NumberAfter(text, key + "Inactive(file):").value_or(0);
  return (*free + files) * 1024;
}

std::vector<topo::NodeId> MemoryNodesOf(const topo::Mapping& mapping,
                                        const topo::Topology& topology) {
  std::vector<topo::NodeId> nodes;
  for (const topo::Slot& slot : mapping.slots()) {
    if (slot.memory != topo::kAnyNode) nodes.push_back(slot.memory);
  }
  if (nodes.empty()) {
    for (const topo::Node& node : topology.nodes()) {
      if (node.allowed) nodes.push_back(node.id);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::uint64_t MaxRssBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace program
