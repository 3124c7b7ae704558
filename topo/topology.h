// The machine as a value: packages, cores, PUs, NUMA nodes, caches, distances.
//
// A Topology lists what there is and what of it this process may use. It is
// computed once (discover.h) or written down by hand, never changes, holds no
// operating-system resource, and is as good for a machine that is elsewhere as
// for this one: no decision depends on where it came from.
//
// Terms are hwloc's. A *PU* is a hardware thread (the paper's "processor"), a
// *core* a physical core, a *package* a socket. [ULIBC14] has one NUMA node a
// package and calls both "package"; here they are two things, because machines
// have several nodes a package, nodes that no PU is near to, and PUs that no
// allowed node is near to.
//
// Threads: immutable, so any number may read. Copies share one body.
// Source: [ULIBC14] section 3.1, tables 1 and 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/language.h"

namespace topo {

// A hardware thread, by the number the operating system gives it (the paper's
// Processor ID). Numbers may have holes.
enum class PuId : int {};

// A NUMA node, by its position in Topology::nodes(): dense, from 0, in the
// order of the operating system's numbers.
enum class NodeId : int {};

// What "no particular PU" and "no particular node" look like, for threads that
// policy `none` leaves where the operating system likes.
inline constexpr PuId kAnyPu{-1};
inline constexpr NodeId kAnyNode{-1};

constexpr int ToInt(PuId pu) { return static_cast<int>(pu); }
constexpr int ToInt(NodeId node) { return static_cast<int>(node); }

// What a node's memory is made of.
enum class MemoryTier {
  kDram,           // ordinary memory
  kHighBandwidth,  // HBM, MCDRAM: faster and smaller
  kFar,            // CXL, persistent memory, memory without PUs near: slower
  kDevice,         // memory of an accelerator
};
std::string_view ToString(MemoryTier tier);

// A value. One hardware thread.
struct Pu {
  PuId id{};
  int package = 0;           // package index, dense from 0
  int core = 0;              // core index in the whole machine, dense from 0
  int smt = 0;               // rank among the PUs of its core (the paper's SMT ID)
  int kind = 0;              // index into core_kinds(): 0 is the most efficient
  bool allowed = true;       // may this process run here?
  std::vector<NodeId> near;  // nodes local to it, its default node first; may be empty
};

// A value. One NUMA node.
struct Node {
  NodeId id{};
  int os_index = 0;  // the operating system's number, may have holes
  std::uint64_t memory_bytes = 0;
  bool allowed = true;  // may this process allocate here?
  MemoryTier tier = MemoryTier::kDram;
  std::uint64_t bandwidth_mib_s = 0;  // as the firmware reports (HMAT); 0: unknown
  std::uint64_t latency_ns = 0;       // as the firmware reports; 0: unknown
};

// A value. One cache and the PUs that share it.
struct Cache {
  int level = 1;
  bool instruction = false;
  std::uint64_t size_bytes = 0;
  int line_bytes = 0;
  std::vector<PuId> pus;
};

// A value. One kind of core of a hybrid machine.
struct CoreKind {
  std::string name;    // as "IntelAtom"; may be empty
  int efficiency = 0;  // rank: 0 uses the least power; -1: unknown
};

// A value. Everything a Topology knows, filled by discovery or by a test.
struct MachineDescription {
  std::vector<Pu> pus;
  std::vector<Node> nodes;
  std::vector<Cache> caches;
  std::vector<CoreKind> core_kinds;      // empty: all alike
  std::vector<std::uint64_t> distances;  // nodes x nodes, row = from; empty: unknown
  int offline_pus = 0;                   // known to the machine, switched off
  std::optional<double> cpu_quota;       // cgroup limit in CPUs, if any
  std::string source;                    // as "this machine", the XML file, the synthetic string
  bool this_machine = false;             // may threads and memory be bound by it?
};

// A value. See the top of the file.
class Topology {
 public:
  // `machine` must have at least one PU that is allowed and at least one node;
  // ids of nodes must be their positions, `near` must name nodes that exist.
  // InvalidArgument says what is wrong, and of which source.
  static absl::StatusOr<Topology> Of(MachineDescription machine);
  // The same for descriptions that a program writes itself: a broken one aborts, as it is a bug of
  // the code that wrote it, not of a user.
  explicit Topology(MachineDescription machine);

  // All PUs, ordered by NUMA node, then package, core and SMT rank.
  std::span<const Pu> pus() const& { return body_->machine.pus; }
  std::span<const Node> nodes() const& { return body_->machine.nodes; }
  std::span<const Cache> caches() const& { return body_->machine.caches; }
  std::span<const CoreKind> core_kinds() const& { return body_->machine.core_kinds; }

  // Spans must not outlive the last copy of what they show.
  void pus() const&& = delete;
  void nodes() const&& = delete;
  void caches() const&& = delete;
  void core_kinds() const&& = delete;

  int packages() const { return body_->packages; }
  int cores() const { return body_->cores; }
  int allowed_pus() const { return body_->allowed_pus; }
  int offline_pus() const { return body_->machine.offline_pus; }
  std::optional<double> cpu_quota() const { return body_->machine.cpu_quota; }

  // How many threads do work at once here: the allowed PUs, or fewer where a
  // cgroup gives less CPU time than that (rounded to the nearest number, at
  // least 1: the system stops threads beyond the quota while others wait for them).
  int default_threads() const;

  // Null where the PU does not exist.
  const Pu* Find(PuId pu) const;
  const Node& operator[](NodeId node) const {
    return nodes()[static_cast<std::size_t>(ToInt(node))];
  }

  // The node that a PU's memory should come from: its default node, or, where
  // that is not allowed, the nearest allowed one (by distance, then number).
  // With a tier: the nearest allowed node of that tier, kAnyNode if none is.
  NodeId NodeNear(PuId pu) const;
  NodeId NodeNear(PuId pu, MemoryTier tier) const;

  // The node that a PU belongs to when threads are spread by NUMA node: its
  // default node, allowed or not, since a PU does not move because its memory
  // is forbidden; NodeNear() for a PU that no node is local to.
  NodeId Home(const Pu& pu) const;

  // Relative cost from one node to the other, 10 = local; 0 where unknown.
  std::uint64_t Distance(NodeId from, NodeId to) const;

  const std::string& source() const { return body_->machine.source; }
  bool this_machine() const { return body_->machine.this_machine; }

 private:
  struct IsChecked {};
  Topology(IsChecked, MachineDescription machine);

  struct Body {
    MachineDescription machine;
    std::vector<int> position;  // OS number -> index into machine.pus, -1 for a hole
    int packages = 0;
    int cores = 0;
    int allowed_pus = 0;
  };
  std::shared_ptr<const Body> body_;
};

}  // namespace topo
