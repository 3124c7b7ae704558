#include "topo/mapping.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topo {
namespace {

// Slots of all usable PUs in machine order: by node, core, SMT rank, with the
// ranks counted among the usable ones only. A core that loses a hardware
// thread to a cpuset has its remaining one at rank 0.
std::vector<Slot> UsableSlots(const Topology& topology, const PlanOptions& options) {
  std::vector<Slot> slots;
  std::map<NodeId, std::map<int, int>> rank_of_core;  // node -> core -> rank
  std::map<std::pair<NodeId, int>, int> used_in_core;
  for (const Pu& pu : topology.pus()) {
    if (!pu.allowed || (options.core_kind && pu.kind != *options.core_kind)) continue;
    const NodeId node = topology.Home(pu);
    auto& ranks = rank_of_core[node];
    const int core = ranks.try_emplace(pu.core, static_cast<int>(ranks.size())).first->second;
    slots.push_back({.pu = pu.id,
                     .package = pu.package,
                     .node = node,
                     .memory = topology.NodeNear(pu.id),
                     .core = core,
                     .smt = used_in_core[{node, pu.core}]++});
  }
  return slots;
}

// The sort keys of the policy, most significant first. Node ids order as node
// ranks do, and the machine order breaks no tie: no two slots share all three.
std::array<int, 3> SortKey(Policy policy, const Slot& slot) {
  const int node = ToInt(slot.node);
  switch (policy) {
    case Policy::kScatter:
      return {slot.smt, slot.core, node};
    case Policy::kCompact:
      return {node, slot.smt, slot.core};
    default:
      return {slot.smt, node, slot.core};
  }
}

absl::Status CheckRequest(const Topology& topology, int threads, const PlanOptions& options) {
  if (threads < 1) {
    return absl::InvalidArgumentError(absl::StrCat("threads must be at least 1, not ", threads));
  }
  // Linux's highest thread id: more never run on any machine.
  constexpr int kMostThreads = 4'194'304;
  if (threads > kMostThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads must be at most ", kMostThreads, ", not ", threads));
  }
  if (options.oversubscribe != PlanOptions::Oversubscribe::kRefuse &&
      options.oversubscribe != PlanOptions::Oversubscribe::kAllow) {
    return absl::InvalidArgumentError(absl::StrCat(
        "oversubscribe is ", static_cast<int>(options.oversubscribe), ": it is kRefuse or kAllow"));
  }
  if (options.core_kind) {
    const int kinds = std::max<int>(1, static_cast<int>(topology.core_kinds().size()));
    if (*options.core_kind < 0 || *options.core_kind >= kinds) {
      return absl::InvalidArgumentError(
          absl::StrCat("core kind ", *options.core_kind,
                       " does not exist; this machine has kinds 0 to ", kinds - 1));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view ToString(Policy policy) {
  switch (policy) {
    case Policy::kNone:
      return "none";
    case Policy::kScatter:
      return "scatter";
    case Policy::kCompact:
      return "compact";
    case Policy::kCompactPlus:
      return "compact+";
    case Policy::kUser:
      return "user";
  }
  return "?";
}

absl::StatusOr<Policy> ParsePolicy(std::string_view name) {
  for (Policy policy : {Policy::kNone, Policy::kScatter, Policy::kCompact, Policy::kCompactPlus}) {
    if (name == ToString(policy)) return policy;
  }
  return absl::InvalidArgumentError("unknown policy '" + std::string(name) +
                                    "': expected none, scatter, compact or compact+");
}

// Builds a Mapping from the order in which PUs are handed out.
class Planner {
 public:
  static absl::StatusOr<Mapping> Deal(const Topology& topology, Policy policy,
                                      const std::vector<Slot>& order, int threads,
                                      const PlanOptions& options) {
    const int usable = static_cast<int>(order.size());
    if (usable == 0) return absl::InvalidArgumentError("no allowed PU has the wanted core kind");
    if (threads > usable && options.oversubscribe == PlanOptions::Oversubscribe::kRefuse) {
      return absl::InvalidArgumentError(absl::StrCat(
          threads, " threads do not fit ", usable, usable == 1 ? " PU" : " PUs", " of ",
          topology.source(), " one a PU: ask for fewer threads, or oversubscribe"));
    }
    Mapping mapping;
    mapping.policy_ = policy;
    mapping.binds_ = policy != Policy::kNone;
    mapping.index_of_.assign(topology.nodes().size(), -1);
    mapping.slots_.reserve(threads);
    for (int thread = 0; thread < threads; ++thread) {
      Slot slot = policy == Policy::kNone ? Slot{} : order[thread % usable];
      slot.thread = thread;
      if (policy == Policy::kNone) {
        if (mapping.nodes_.empty()) Open(mapping, kAnyNode);
      } else if (mapping.index_of_[ToInt(slot.node)] < 0) {
        mapping.index_of_[ToInt(slot.node)] = static_cast<int>(mapping.nodes_.size());
        Open(mapping, slot.node);
      }
      slot.ordinal = mapping.threads_on_[mapping.node_index(slot)]++;
      mapping.slots_.push_back(slot);
    }
    return mapping;
  }

 private:
  static void Open(Mapping& mapping, NodeId node) {
    mapping.nodes_.push_back(node);
    mapping.threads_on_.push_back(0);
  }
};

int Mapping::node_index(const Slot& slot) const {
  return slot.node == kAnyNode ? 0 : index_of_[ToInt(slot.node)];
}

Mapping Mapping::Unbound() const {
  Mapping unbound = *this;
  unbound.binds_ = false;
  for (Slot& slot : unbound.slots_) {
    slot.pu = kAnyPu;
    slot.memory = kAnyNode;
  }
  return unbound;
}

absl::StatusOr<Mapping> Plan(const Topology& topology, Policy policy, int threads,
                             const PlanOptions& options) {
  if (absl::Status status = CheckRequest(topology, threads, options); !status.ok()) return status;
  if (policy == Policy::kUser) {
    return absl::InvalidArgumentError("policy user needs an order: call PlanInOrder");
  }
  if (ToString(policy) == "?") {
    return absl::InvalidArgumentError(
        absl::StrCat("policy is ", static_cast<int>(policy), ": there is no such policy"));
  }
  std::vector<Slot> order = UsableSlots(topology, options);
  if (policy != Policy::kNone) {
    std::sort(order.begin(), order.end(), [policy](const Slot& a, const Slot& b) {
      return SortKey(policy, a) < SortKey(policy, b);
    });
  }
  return Planner::Deal(topology, policy, order, threads, options);
}

absl::StatusOr<Mapping> PlanInOrder(const Topology& topology, std::span<const PuId> order,
                                    int threads, const PlanOptions& options) {
  if (absl::Status status = CheckRequest(topology, threads, options); !status.ok()) return status;
  std::map<PuId, Slot> usable;
  for (const Slot& slot : UsableSlots(topology, options)) usable[slot.pu] = slot;
  std::vector<Slot> slots;
  std::set<PuId> seen;
  for (PuId pu : order) {
    const Pu* found = topology.Find(pu);
    const char* problem = found == nullptr          ? " does not exist on "
                          : !found->allowed         ? " is not allowed on "
                          : usable.count(pu) == 0   ? " has another core kind on "
                          : !seen.insert(pu).second ? " is named twice in the order for "
                                                    : nullptr;
    if (problem != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("PU ", ToInt(pu), problem, topology.source()));
    }
    slots.push_back(usable[pu]);
  }
  return Planner::Deal(topology, Policy::kUser, slots, threads, options);
}

Usage Explain(const Mapping& mapping, int threads) {
  std::map<NodeId, std::set<int>> cores;
  std::map<std::pair<NodeId, int>, int> on_core;
  Usage usage{.threads = threads};
  if (mapping.policy() == Policy::kNone) return usage;  // Not known.
  for (const Slot& slot : mapping.slots().first(threads)) {
    cores[slot.node].insert(slot.core);
    usage.threads_per_core = std::max(usage.threads_per_core, ++on_core[{slot.node, slot.core}]);
    usage.cores_per_node =
        std::max(usage.cores_per_node, static_cast<int>(cores[slot.node].size()));
  }
  usage.nodes = static_cast<int>(cores.size());
  return usage;
}

}  // namespace topo
