#include "apps/stream/size.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "topo/cpu_quota.h"

namespace stream {
namespace {

constexpr std::int64_t kBytesPerElement = kArraysAtOnce * sizeof(double);
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

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

std::string Gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
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

std::vector<Room> Rooms(const topo::Topology& topology, std::span<const topo::Mapping> mappings,
                        Where where, const std::filesystem::path& root) {
  std::vector<Room> rooms;
  if (const auto bytes = AvailableBytes(root)) rooms.push_back({*bytes, 1, ""});
  // Elsewhere a full node's pages go to the next; bound ones end the process.
  if (where != Where::kLocal) return rooms;
  std::map<topo::NodeId, double> share_of;
  for (const topo::Mapping& mapping : mappings) {
    std::map<topo::NodeId, double> shares;  // two nodes' threads may allocate on one
    for (const topo::Slot& slot : mapping.slots()) {
      if (slot.memory != topo::kAnyNode) shares[slot.memory] += 1.0 / mapping.size();
    }
    for (const auto& [node, share] : shares) {
      share_of[node] = std::max(share_of[node], share);
    }
  }
  for (const auto& [node, share] : share_of) {
    const int os_index = topology[node].os_index;
    if (const auto bytes = AvailableBytesOfNode(os_index, root)) {
      rooms.push_back({*bytes, share, " on NUMA node " + std::to_string(os_index)});
    }
  }
  return rooms;
}

absl::StatusOr<Size> ChooseSize(std::optional<std::int64_t> asked, std::span<const Room> rooms,
                                int threads) {
  const std::int64_t wanted = asked.value_or(kPaperElements);
  if (wanted < threads || wanted > kMostElements) {
    return absl::InvalidArgumentError("--elements=" + std::to_string(wanted) + " is not from " +
                                      std::to_string(threads) + " (one a thread) to " +
                                      std::to_string(kMostElements));
  }
  std::int64_t fits = kMostElements;
  Room tightest;
  for (const Room& room : rooms) {
    const auto most = static_cast<std::int64_t>(static_cast<double>(room.available_bytes) * 0.8 /
                                                (room.share * kBytesPerElement));
    if (most >= fits) continue;
    fits = most;
    tightest = room;
  }
  if (wanted <= fits) return Size{wanted, ""};
  const std::string available =
      Gigabytes(static_cast<double>(tightest.available_bytes)) + tightest.where;
  const std::string needed =
      Gigabytes(static_cast<double>(wanted) * tightest.share * kBytesPerElement);
  if (asked) {
    return absl::ResourceExhaustedError("--elements=" + std::to_string(wanted) + " needs " +
                                        needed + ", and four fifths of the available " + available +
                                        " are less");
  }
  if (fits < threads) {
    return absl::ResourceExhaustedError("there is no memory for arrays: " + available +
                                        " are available");
  }
  // A power of two, as the paper's.
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(fits)));
  const std::int64_t elements = std::max<std::int64_t>(power, threads);
  return Size{elements, "arrays of " + std::to_string(elements) + " elements instead of 2^27: " +
                            "that would need " + needed + ", and " + available + " are available"};
}

}  // namespace stream
