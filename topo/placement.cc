#include "topo/placement.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "topo/split.h"

namespace topo {
namespace {

absl::Status CheckNode(const Topology& topology, NodeId node) {
  const int count = static_cast<int>(topology.nodes().size());
  if (ToInt(node) < 0 || ToInt(node) >= count) {
    return absl::InvalidArgumentError(absl::StrCat("NUMA node ", ToInt(node), " does not exist on ",
                                                   topology.source(), ", which has nodes 0 to ",
                                                   count - 1));
  }
  if (!topology[node].allowed) {
    return absl::PermissionDeniedError(
        absl::StrCat("NUMA node ", ToInt(node), " is forbidden to this process by its cpuset"));
  }
  return absl::OkStatus();
}

}  // namespace

bool Placement::Accepts(std::uint64_t offset_bytes, NodeId node) const {
  switch (kind_) {
    case Kind::kFirstTouch:
      return true;
    case Kind::kNode:
    case Kind::kInterleave:
      return std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end();
    case Kind::kSlices: {
      auto slice = std::upper_bound(
          slices_.begin(), slices_.end(), offset_bytes,
          [](std::uint64_t offset, const Slice& s) { return offset < s.end_bytes; });
      return slice != slices_.end() && slice->node == node;
    }
  }
  return false;
}

std::string Placement::ToString() const {
  const auto number = [](std::string* out, NodeId node) { absl::StrAppend(out, ToInt(node)); };
  switch (kind_) {
    case Kind::kFirstTouch:
      return "first touch";
    case Kind::kNode:
      return absl::StrCat("node ", ToInt(nodes_[0]));
    case Kind::kInterleave:
      return absl::StrCat("interleaved over nodes ", absl::StrJoin(nodes_, ",", number));
    case Kind::kSlices:
      return absl::StrCat("slices on nodes ",
                          absl::StrJoin(slices_, ",", [](std::string* out, const Slice& s) {
                            absl::StrAppend(out, ToInt(s.node));
                          }));
  }
  return "?";
}

absl::Status Placement::CheckAgainst(const Topology& topology, std::uint64_t bytes) const {
  if (kind_ == Kind::kInterleave && nodes_.empty()) {
    return absl::InvalidArgumentError("interleaving needs at least one NUMA node");
  }
  for (NodeId node : nodes_) {
    if (absl::Status status = CheckNode(topology, node); !status.ok()) return status;
  }
  if (kind_ != Kind::kSlices) return absl::OkStatus();
  std::uint64_t end = 0;
  for (const Slice& slice : slices_) {
    if (absl::Status status = CheckNode(topology, slice.node); !status.ok()) return status;
    if (slice.begin_bytes != end || slice.end_bytes < slice.begin_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("a slice begins at byte ", slice.begin_bytes, ", expected ", end));
    }
    end = slice.end_bytes;
  }
  if (end != bytes) {
    return absl::InvalidArgumentError(absl::StrCat("the slices end at byte ", end, " of ", bytes));
  }
  return absl::OkStatus();
}

std::vector<Slice> PlanSlices(const Mapping& mapping, std::uint64_t bytes,
                              std::uint64_t page_bytes) {
  std::vector<NodeId> memory(mapping.nodes().size(), kAnyNode);
  for (const Slot& slot : mapping.slots()) {
    NodeId& node = memory[mapping.node_index(slot)];
    if (node == kAnyNode) node = slot.memory;
  }
  std::vector<Slice> slices;
  std::uint64_t begin = 0;
  const int nodes = static_cast<int>(memory.size());
  for (int i = 0; i < nodes && begin < bytes; ++i) {
    const std::uint64_t share_end = ShareOfNode(static_cast<std::int64_t>(bytes), mapping, i).end;
    const std::uint64_t whole_pages = (share_end + page_bytes - 1) / page_bytes * page_bytes;
    const std::uint64_t end = i == nodes - 1 ? bytes : std::min(bytes, whole_pages);
    if (end == begin) continue;
    slices.push_back({memory[i], begin, end});
    begin = end;
  }
  return slices;
}

PlacementTally Judge(const Placement& placement, std::span<const PageState> pages,
                     std::uint64_t page_bytes, int nodes, std::uint64_t begin_bytes) {
  PlacementTally tally;
  tally.on_node.assign(nodes, 0);
  std::int64_t index = 0;
  for (const PageState& page : pages) {
    switch (page.kind) {
      case PageState::Kind::kUntouched:
      case PageState::Kind::kZeroPage:
        ++tally.untouched;
        break;
      case PageState::Kind::kUnknown:
        ++tally.unknown;
        break;
      case PageState::Kind::kResident:
        ++tally.on_node[ToInt(page.node)];
        if (const std::uint64_t start = static_cast<std::uint64_t>(index) * page_bytes;
            !placement.Accepts(start - std::min(start, begin_bytes), page.node)) {
          ++tally.misplaced;
          if (tally.first_misplaced < 0) tally.first_misplaced = index;
        }
        break;
    }
    ++index;
  }
  return tally;
}

}  // namespace topo
