#include "topo/topology.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topo {
namespace {

// Larger than any kernel's numbers; the table by number is as long as the highest.
constexpr int kMostPus = 1 << 20;

// Makes the numbers 0, 1, 2, ... in their order.
void MakeDense(std::vector<Pu>& pus, int Pu::*field) {
  std::set<int> seen;
  for (const Pu& pu : pus) seen.insert(pu.*field);
  for (Pu& pu : pus) {
    pu.*field = static_cast<int>(std::distance(seen.begin(), seen.find(pu.*field)));
  }
}

// The fault of a broken description; empty: there is none.
std::string_view FaultOf(const MachineDescription& machine) {
  if (machine.nodes.empty()) return "it has no NUMA node";
  const int nodes = static_cast<int>(machine.nodes.size());
  for (int i = 0; i < nodes; ++i) {
    if (ToInt(machine.nodes[i].id) != i) return "a node's id is not its position";
  }
  const int kinds = std::max<int>(1, static_cast<int>(machine.core_kinds.size()));
  std::set<PuId> seen;
  bool any_allowed = false;
  for (const Pu& pu : machine.pus) {
    if (ToInt(pu.id) < 0) return "a PU has no number";
    if (ToInt(pu.id) >= kMostPus) return "a PU's number is larger than any kernel's";
    if (pu.kind < 0 || pu.kind >= kinds) return "a PU is of a core kind that does not exist";
    if (!seen.insert(pu.id).second) return "two PUs have one number";
    any_allowed |= pu.allowed;
    for (NodeId node : pu.near) {
      if (ToInt(node) < 0 || ToInt(node) >= nodes) return "a PU is near a node that does not exist";
    }
  }
  if (!any_allowed) return "it has no PU that is allowed";
  if (!machine.distances.empty() && machine.distances.size() != machine.nodes.size() * nodes) {
    return "distances are not nodes x nodes";
  }
  if (machine.offline_pus < 0) return "a negative count of PUs is offline";
  if (machine.cpu_quota && !(*machine.cpu_quota > 0)) return "the CPU quota is not more than 0";
  return "";
}

absl::Status Check(const MachineDescription& machine) {
  const std::string_view fault = FaultOf(machine);
  if (fault.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(machine.source, ": ", std::string(fault)));
}

// The machine, unless it is broken.
MachineDescription Checked(MachineDescription machine) {
  if (const absl::Status good = Check(machine); !good.ok()) {
    std::fprintf(stderr, "topo::Topology of %s\n", std::string(good.message()).c_str());
    std::abort();
  }
  return machine;
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

absl::StatusOr<Topology> Topology::Of(MachineDescription machine) {
  if (absl::Status good = Check(machine); !good.ok()) return good;
  return Topology(IsChecked(), std::move(machine));
}

Topology::Topology(MachineDescription machine)
    : Topology(IsChecked(), Checked(std::move(machine))) {}

Topology::Topology(IsChecked, MachineDescription machine) {
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
      std::clamp(std::round(*cpu_quota()), 1.0, static_cast<double>(allowed_pus())));
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
