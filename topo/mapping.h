// The mapping table: which thread goes where, decided before any thread runs.
//
// `Plan` is a pure function from a machine, a policy and a thread count to a
// table thread -> slot. It is *prefix-stable*: thread i's slot does not depend
// on how many threads there are, so a program may plan for the most it will
// ever use and run with fewer.
//
// The policies differ in one thing only, the order in which the sort keys of
// an allowed PU are compared. Keys are ranks among the *allowed* PUs: `node`
// the rank of the PU's NUMA node, `core` the rank of its core within the node,
// `smt` the rank of the PU within its core.
//
//   Scatter    (smt, core, node)  neighbours on different nodes: bandwidth
//   Compact    (node, smt, core)  fill a node, all its hardware threads, then the next
//   Compact+   (smt, node, core)  fill nodes, one thread a core before any second one
//
// Source: [ULIBC14] section 3.2, tables 3 and 4 (every cell of which is a test).
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/topology.h"

namespace topo {

enum class Policy {
  kNone,         // the operating system decides; slots name no PU
  kScatter,      // the paper's SCATTER
  kCompact,      // the paper's COMPACT
  kCompactPlus,  // the paper's COMPACT_PLUS
  kUser,         // the user's own order (PlanInOrder)
};
std::string_view ToString(Policy policy);

// "none", "scatter", "compact", "compact+". Anything else: InvalidArgument,
// with the four in the message.
absl::StatusOr<Policy> ParsePolicy(std::string_view name);

// A value. The row of one thread. For policy none all but `thread` and
// `ordinal` are -1.
struct Slot {
  int thread = 0;            // index of the row
  PuId pu = kAnyPu;          // where it runs (the paper's Processor ID)
  int package = -1;          // index of the package (Package ID)
  NodeId node = kAnyNode;    // NUMA node that it belongs to: Topology::Home
  NodeId memory = kAnyNode;  // NUMA node to allocate on: Topology::NodeNear; mostly == node
  int core = -1;             // rank of its core among the allowed cores of the node (Core ID)
  int smt = -1;              // rank among the allowed PUs of the core (SMT ID)
  int ordinal = 0;           // how many earlier threads are on this node (get_numa_ordcoreid)

  friend auto operator<=>(const Slot&, const Slot&) = default;
};

struct PlanOptions {
  // Lets more threads than allowed PUs share them, round after round.
  enum class Oversubscribe { kRefuse, kAllow };
  Oversubscribe oversubscribe = Oversubscribe::kRefuse;

  // Uses only cores of this kind (index into Topology::core_kinds()).
  std::optional<int> core_kind = {};
};

// A value. Immutable; copies are cheap enough for set-up, not for hot calls.
class Mapping {
 public:
  Policy policy() const { return policy_; }
  int size() const { return static_cast<int>(slots_.size()); }

  // Constant time, one load. `thread` must be in [0, size()).
  const Slot& operator[](int thread) const { return slots_[static_cast<std::size_t>(thread)]; }
  std::span<const Slot> slots() const& { return slots_; }
  void slots() const&& = delete;  // The span would outlive what it shows.

  // The nodes that have threads, in order of first use; the paper numbers
  // nodes by their position here. Policy none: one entry, kAnyNode.
  std::span<const NodeId> nodes() const& { return nodes_; }
  void nodes() const&& = delete;

  // How many threads are on nodes()[index] (the paper's online cores).
  int threads_on(int index) const { return threads_on_[static_cast<std::size_t>(index)]; }

  // Position of a slot's node in nodes().
  int node_index(const Slot& slot) const;

  // The same table for threads that nothing binds: slots keep their node, core and
  // ordinal, and name no PU and no memory. So what is planned for a described machine runs
  // on this one, with as many threads and parts, where the operating system puts them.
  Mapping Unbound() const;

  // Whether its threads and memory are bound: not for policy none, nor once Unbound.
  bool binds() const { return binds_; }

 private:
  friend class Planner;
  Policy policy_ = Policy::kNone;
  bool binds_ = false;
  std::vector<Slot> slots_;
  std::vector<NodeId> nodes_;
  std::vector<int> threads_on_;
  std::vector<int> index_of_;  // NodeId -> position in nodes_, -1 if none
};

// The table for `threads` threads. Errors, all InvalidArgument: threads < 1,
// more threads than PUs without kAllow, a core kind that does not exist or has
// no allowed PU, a value that is none of an enum's.
absl::StatusOr<Mapping> Plan(const Topology& topology, Policy policy, int threads,
                             const PlanOptions& options = {});

// Plan for an order of the user's own: thread i runs on order[i]. Errors as
// Plan's, and a PU that does not exist, is not allowed, or is named twice.
absl::StatusOr<Mapping> PlanInOrder(const Topology& topology, std::span<const PuId> order,
                                    int threads, const PlanOptions& options = {});

// A value. The paper's table 4: how much of the machine `threads` threads use.
struct Usage {
  int threads = 0;
  int nodes = 0;             // NUMA nodes with at least one thread
  int cores_per_node = 0;    // most cores in use on one node
  int threads_per_core = 0;  // most threads on one core

  friend bool operator==(const Usage&, const Usage&) = default;
};

// What the first `threads` threads of the mapping use. 1 <= threads <= size().
// Policy none: zeros, since the operating system decides later.
Usage Explain(const Mapping& mapping, int threads);

}  // namespace topo
