// What holds for every machine, checked on random ones.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "topo/mapping.h"
#include "topo/split.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

constexpr Policy kPolicies[] = {Policy::kScatter, Policy::kCompact, Policy::kCompactPlus};

Policy AnyPolicy() { return *rc::gen::elementOf(std::vector<Policy>(kPolicies, kPolicies + 3)); }

RC_GTEST_PROP(MappingProperty, EveryAllowedPuIsUsedExactlyOnce, (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  const Mapping mapping = *Plan(topology, AnyPolicy(), topology.allowed_pus());
  std::set<PuId> used;
  for (const Slot& slot : mapping.slots()) {
    RC_ASSERT(topology.Find(slot.pu)->allowed);
    RC_ASSERT(used.insert(slot.pu).second);
  }
  RC_ASSERT(static_cast<int>(used.size()) == topology.allowed_pus());
}

RC_GTEST_PROP(MappingProperty, ASlotDoesNotDependOnHowManyThreadsThereAre, (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  const Policy policy = AnyPolicy();
  const PlanOptions options{.oversubscribe = PlanOptions::Oversubscribe::kAllow};
  const Mapping all = *Plan(topology, policy, 2 * topology.allowed_pus(), options);
  const int threads = *rc::gen::inRange(1, all.size() + 1);
  const Mapping some = *Plan(topology, policy, threads, options);
  for (int i = 0; i < threads; ++i) RC_ASSERT(some[i] == all[i]);
}

RC_GTEST_PROP(MappingProperty, NoCoreGetsASecondThreadBeforeEveryAllowedCoreHasOne,
              (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  std::set<int> cores;
  for (const Pu& pu : topology.pus()) {
    if (pu.allowed) cores.insert(pu.core);
  }
  for (Policy policy : {Policy::kScatter, Policy::kCompactPlus}) {
    const Mapping mapping = *Plan(topology, policy, static_cast<int>(cores.size()));
    std::set<int> used;
    for (const Slot& slot : mapping.slots()) {
      RC_ASSERT(used.insert(topology.Find(slot.pu)->core).second);
    }
  }
}

RC_GTEST_PROP(MappingProperty, CompactLeavesANodeOnlyWhenItIsFull, (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  const Mapping mapping = *Plan(topology, Policy::kCompact, topology.allowed_pus());
  std::set<NodeId> left;
  for (int i = 1; i < mapping.size(); ++i) {
    if (mapping[i].node != mapping[i - 1].node) left.insert(mapping[i - 1].node);
    RC_ASSERT(left.count(mapping[i].node) == 0u);
  }
}

RC_GTEST_PROP(MappingProperty, ScatterKeepsNodesWithFreeCoresWithinOneThreadOfEachOther,
              (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  std::map<NodeId, std::set<int>> cores;
  for (const Pu& pu : topology.pus()) {
    if (pu.allowed) cores[topology.Home(pu)].insert(pu.core);
  }
  const Mapping mapping = *Plan(topology, Policy::kScatter, topology.allowed_pus());
  std::map<NodeId, int> threads;
  for (const Slot& slot : mapping.slots()) {
    if (slot.smt > 0) break;
    const int now = ++threads[slot.node];
    for (const auto& [node, all] : cores) {
      if (static_cast<int>(all.size()) >= now) RC_ASSERT(threads[node] >= now - 1);
    }
  }
}

RC_GTEST_PROP(MappingProperty, OrdinalsOfANodeCountUpFromZero, (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  const Mapping mapping = *Plan(topology, AnyPolicy(), topology.allowed_pus());
  std::map<NodeId, int> next;
  for (const Slot& slot : mapping.slots()) RC_ASSERT(slot.ordinal == next[slot.node]++);
  for (int i = 0; i < static_cast<int>(mapping.nodes().size()); ++i) {
    RC_ASSERT(mapping.threads_on(i) == next[mapping.nodes()[i]]);
  }
}

RC_GTEST_PROP(MappingProperty, MemoryIsAllowedAndLocalWhereThatIsPossible, (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  const Mapping mapping = *Plan(topology, AnyPolicy(), topology.allowed_pus());
  bool any_allowed = false;
  for (const Node& node : topology.nodes()) any_allowed |= node.allowed;
  for (const Slot& slot : mapping.slots()) {
    if (!any_allowed) {
      RC_ASSERT(slot.memory == kAnyNode);
      continue;
    }
    RC_ASSERT(topology[slot.memory].allowed);
    if (topology[slot.node].allowed) RC_ASSERT(slot.memory == slot.node);
  }
}

RC_GTEST_PROP(SplitProperty, SharesOfAllThreadsCoverTheRangeOnceAndStayInTheirNodesShare,
              (unsigned seed)) {
  const Topology topology = RandomMachine(seed);
  const Mapping mapping = *Plan(topology, AnyPolicy(), topology.allowed_pus());
  const std::int64_t total = *rc::gen::inRange<std::int64_t>(0, 1000);
  std::map<std::int64_t, std::int64_t> pieces;
  std::int64_t covered = 0;
  for (const Slot& slot : mapping.slots()) {
    const Range share = ShareOf(total, mapping, slot);
    const Range node = ShareOfNode(total, mapping, mapping.node_index(slot));
    RC_ASSERT(node.begin <= share.begin && share.end <= node.end);
    covered += share.size();
    if (!share.empty()) RC_ASSERT(pieces.emplace(share.begin, share.end).second);
  }
  RC_ASSERT(covered == total);
  std::int64_t end = 0;
  for (const auto& [begin, piece_end] : pieces) {
    RC_ASSERT(begin == end);
    end = piece_end;
  }
  RC_ASSERT(end == total);
}

}  // namespace
}  // namespace topo
