#include "apps/stream/arrays/size.h"

#include <algorithm>
#include <bit>
#include <map>

#include "apps/program/bytes.h"
#include "apps/program/memory.h"

namespace stream {
namespace {

constexpr std::int64_t kBytesPerElement = kArraysAtOnce * sizeof(double);
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

}  // namespace

std::vector<Room> Rooms(const topo::Topology& topology, std::span<const topo::Mapping> mappings,
                        Where where, const std::filesystem::path& root) {
  std::vector<Room> rooms;
  if (const auto bytes = program::AvailableBytes(root)) rooms.push_back({*bytes, 1, ""});
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
    if (const auto bytes = program::AvailableBytesOfNode(os_index, root)) {
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
      program::FormatBytes(static_cast<double>(tightest.available_bytes)) + tightest.where;
  const std::string needed =
      program::FormatBytes(static_cast<double>(wanted) * tightest.share * kBytesPerElement);
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
