// Where pages are asked to be, and whether they are there.
//
// A Placement is the request: on one node, interleaved over some, cut in
// slices, or left to first touch. `Judge` compares it with the nodes that the
// kernel reports for each page. Both are pure; memory.h binds memory
// so, and resident.h asks the kernel where it is.
//
// Source: [ULIBC14] section 2, figures 2 and 3.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/mapping.h"
#include "topo/topology.h"

namespace topo {

// A value. Bytes [begin_bytes, end_bytes) of an allocation, on one node.
struct Slice {
  NodeId node{};
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};

// A value.
class Placement {
 public:
  enum class Kind { kFirstTouch, kNode, kInterleave, kSlices };

  // On the node of whichever thread writes a page first: the kernel's default.
  static Placement FirstTouch() { return Placement(Kind::kFirstTouch, {}, {}); }

  // Every page on `node`.
  static Placement OnNode(NodeId node) { return Placement(Kind::kNode, {node}, {}); }

  // Pages dealt in turn to `nodes`. Where the kernel uses huge pages the unit
  // is a huge page.
  static Placement Interleave(std::vector<NodeId> nodes) {
    return Placement(Kind::kInterleave, std::move(nodes), {});
  }

  // Each slice on its node; slices in order, without a gap (PlanSlices).
  static Placement Slices(std::vector<Slice> slices) {
    return Placement(Kind::kSlices, {}, std::move(slices));
  }

  Kind kind() const { return kind_; }
  std::span<const NodeId> nodes() const { return nodes_; }
  std::span<const Slice> slices() const { return slices_; }

  // May the page that starts `offset_bytes` into the allocation be on `node`?
  bool Accepts(std::uint64_t offset_bytes, NodeId node) const;

  // As "node 2", "interleaved over nodes 0,1", for messages.
  std::string ToString() const;

  // InvalidArgument or PermissionDenied with the node's number where the
  // placement names a node that the machine lacks or forbids; where the slices
  // leave a gap or do not end at `bytes`.
  absl::Status CheckAgainst(const Topology& topology, std::uint64_t bytes) const;

 private:
  Placement(Kind kind, std::vector<NodeId> nodes, std::vector<Slice> slices)
      : kind_(kind), nodes_(std::move(nodes)), slices_(std::move(slices)) {}

  Kind kind_;
  std::vector<NodeId> nodes_;
  std::vector<Slice> slices_;
};

// Cuts `bytes` so that the share (split.h) of each node's threads lies on the
// node that those threads allocate from. Boundaries are rounded to whole pages:
// a page has one node, so a boundary page goes to the node that owns its start.
std::vector<Slice> PlanSlices(const Mapping& mapping, std::uint64_t bytes,
                              std::uint64_t page_bytes);

// What the kernel reports of a page.
struct PageState {
  enum class Kind {
    kResident,   // on `node`
    kUntouched,  // not used yet: it is nowhere
    kZeroPage,   // only read so far: the kernel's one shared page of zeros
    kUnknown,    // the kernel refused to report it
  };
  Kind kind = Kind::kUntouched;
  NodeId node = kAnyNode;
  friend bool operator==(const PageState&, const PageState&) = default;
};

// A value. Pages of one allocation, counted.
struct PlacementTally {
  std::vector<std::int64_t> on_node;  // pages on each node of the machine
  std::int64_t misplaced = 0;         // resident, and not where asked
  std::int64_t untouched = 0;         // untouched or zero page
  std::int64_t unknown = 0;
  std::int64_t first_misplaced = -1;  // index of the first such page, -1 if none
};

// Counts `pages` (one entry a page, in order) against the placement. Where the
// allocation begins `begin_bytes` into its first page, that page is judged by
// the allocation's first byte and each other one by its own.
PlacementTally Judge(const Placement& placement, std::span<const PageState> pages,
                     std::uint64_t page_bytes, int nodes, std::uint64_t begin_bytes = 0);

}  // namespace topo
