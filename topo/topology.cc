#include "topo/topology.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <tuple>

namespace topo {
namespace {

constexpr int kMostPus = 1 << 20;

void Require(bool holds, const char* what, const std::string& source) {
  if (holds) return;
  std::fprintf(stderr, "%s: topo::Topology of '%s': %s\n", __FILE__, source.c_str(), what);
  std::abort();
}

// Makes the numbers 0, 1, 2, ... in their order.
void MakeDense(std::vector<Pu>& pus, int Pu::*field) {
  std::set<int> seen;
  for (const Pu& pu : pus) seen.insert(pu.*field);
  for (Pu& pu : pus) {
    pu.*field = static_cast<int>(std::distance(seen.begin(), seen.find(pu.*field)));
  }
}

void Check(const MachineDescription& machine) {
  Require(!machine.nodes.empty(), "has no NUMA node", machine.source);
  const int nodes = static_cast<int>(machine.nodes.size());
  for (int i = 0; i < nodes; ++i) {
    Require(ToInt(machine.nodes[i].id) == i, "a node's id is not its position", machine.source);
  }
  const int kinds = std::max<int>(1, static_cast<int>(machine.core_kinds.size()));
  std::set<PuId> seen;
  bool any_allowed = false;
  for (const Pu& pu : machine.pus) {
    Require(ToInt(pu.id) >= 0, "a PU has a negative number", machine.source);
    Require(ToInt(pu.id) < kMostPus, "a PU's number is larger than any kernel's", machine.source);
    Require(pu.kind >= 0 && pu.kind < kinds, "a PU is of a core kind that does not exist",
            machine.source);
    Require(seen.insert(pu.id).second, "two PUs have one number", machine.source);
    any_allowed |= pu.allowed;
    for (NodeId node : pu.near) {
      Require(ToInt(node) >= 0 && ToInt(node) < nodes, "a PU is near a node that does not exist",
              machine.source);
    }
  }
  Require(any_allowed, "has no PU that is allowed", machine.source);
  Require(machine.distances.empty() || machine.distances.size() == machine.nodes.size() * nodes,
          "distances are not nodes x nodes", machine.source);
  Require(machine.offline_pus >= 0, "a negative count of PUs is offline", machine.source);
  Require(!machine.cpu_quota || *machine.cpu_quota > 0, "the CPU quota is not more than 0",
          machine.source);
}

}  // namespace

std::string_view ToString(MemoryTier tier) {
  switch (tier) {
    case MemoryTier::kDram:
      return "DRAM";
    case MemoryTier::kHighBandwidth:
      return "HBM";
    case MemoryTier::kFar:
      return "far";
    case MemoryTier::kDevice:
      return "device";
  }
  return "?";
}

Topology::Topology(MachineDescription machine) {
  Check(machine);
  MakeDense(machine.pus, &Pu::package);
  MakeDense(machine.pus, &Pu::core);

  auto body = std::make_shared<Body>();
  int highest = 0;
  for (const Pu& pu : machine.pus) {
    body->packages = std::max(body->packages, pu.package + 1);
    body->cores = std::max(body->cores, pu.core + 1);
    body->allowed_pus += pu.allowed;
    highest = std::max(highest, ToInt(pu.id));
  }
  body->machine = std::move(machine);
  body_ = body;  // Home() below needs the nodes.
  std::vector<Pu>& pus = body->machine.pus;
  std::sort(pus.begin(), pus.end(), [this](const Pu& a, const Pu& b) {
    return std::tuple(Home(a), a.package, a.core, a.smt, a.id) <
           std::tuple(Home(b), b.package, b.core, b.smt, b.id);
  });
  body->position.assign(highest + 1, -1);
  for (int i = 0; i < static_cast<int>(pus.size()); ++i) body->position[ToInt(pus[i].id)] = i;
}

int Topology::default_threads() const {
  if (!cpu_quota()) return allowed_pus();
  return static_cast<int>(
      std::clamp(std::ceil(*cpu_quota()), 1.0, static_cast<double>(allowed_pus())));
}

const Pu* Topology::Find(PuId pu) const {
  const int number = ToInt(pu);
  if (number < 0 || number >= static_cast<int>(body_->position.size())) return nullptr;
  const int position = body_->position[number];
  return position < 0 ? nullptr : &body_->machine.pus[position];
}

std::uint64_t Topology::Distance(NodeId from, NodeId to) const {
  if (body_->machine.distances.empty()) return 0;
  return body_->machine.distances[ToInt(from) * nodes().size() + ToInt(to)];
}

namespace {

// The allowed node, of those that `wanted` accepts, nearest to `pu`: a local
// one if there is, then by distance from the PU's default node, then by number.
template <typename Wanted>
NodeId Nearest(const Topology& topology, const Pu& pu, Wanted wanted) {
  // A machine that is only described may have no sizes at all: then a local node counts as
  // described. A socket without memory modules does not.
  bool sizes_known = false;
  for (const Node& node : topology.nodes()) sizes_known |= node.memory_bytes > 0;
  for (NodeId node : pu.near) {
    const bool has_memory = !sizes_known || topology[node].memory_bytes > 0;
    if (topology[node].allowed && has_memory && wanted(topology[node])) return node;
  }
  NodeId best = kAnyNode;
  std::uint64_t best_distance = std::numeric_limits<std::uint64_t>::max();
  for (const Node& node : topology.nodes()) {
    if (!node.allowed || (sizes_known && node.memory_bytes == 0) || !wanted(node)) continue;
    const std::uint64_t distance = pu.near.empty() ? 0 : topology.Distance(pu.near[0], node.id);
    if (distance < best_distance) {
      best = node.id;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

NodeId Topology::NodeNear(PuId pu) const {
  const Pu* found = Find(pu);
  if (found == nullptr) return kAnyNode;
  return Nearest(*this, *found, [](const Node&) { return true; });
}

NodeId Topology::NodeNear(PuId pu, MemoryTier tier) const {
  const Pu* found = Find(pu);
  if (found == nullptr) return kAnyNode;
  return Nearest(*this, *found, [tier](const Node& node) { return node.tier == tier; });
}

NodeId Topology::Home(const Pu& pu) const {
  if (!pu.near.empty()) return pu.near[0];
  const NodeId nearest = Nearest(*this, pu, [](const Node&) { return true; });
  return nearest == kAnyNode ? NodeId{0} : nearest;
}

}  // namespace topo
