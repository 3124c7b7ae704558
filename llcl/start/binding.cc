#include "llcl/start/binding.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topo/mapping.h"

namespace llcl {
namespace {

absl::StatusOr<std::vector<topo::PuSet>> BindToCores(const topo::Topology& machine, int ranks) {
  std::map<int, topo::PuSet> pus_of;  // by core
  for (const topo::Pu& pu : machine.pus()) {
    if (pu.allowed) pus_of[pu.core].Insert(pu.id);
  }
  const auto cores = static_cast<int>(pus_of.size());
  if (ranks > cores) {
    return absl::InvalidArgumentError(absl::StrCat(ranks, " ranks, but there are ", cores,
                                                   " cores to bind them to; --bind=none lets "
                                                   "ranks share cores"));
  }
  // compact+ has one thread a core before any second one.
  const auto mapping = topo::Plan(machine, topo::Policy::kCompactPlus, ranks);
  if (!mapping.ok()) return mapping.status();
  std::vector<topo::PuSet> sets;
  for (const topo::Slot& slot : mapping->slots()) {
    sets.push_back(pus_of[machine.Find(slot.pu)->core]);
  }
  return sets;
}

std::vector<topo::PuSet> BindToNodes(const topo::Topology& machine, int ranks) {
  std::map<topo::NodeId, topo::PuSet> pus_of;
  for (const topo::Pu& pu : machine.pus()) {
    if (pu.allowed) pus_of[machine.Home(pu)].Insert(pu.id);
  }
  std::vector<topo::PuSet> nodes, sets;
  for (auto& [node, pus] : pus_of) nodes.push_back(std::move(pus));
  for (int rank = 0; rank < ranks; ++rank) {
    sets.push_back(
        nodes[static_cast<std::size_t>(rank) * nodes.size() / static_cast<std::size_t>(ranks)]);
  }
  return sets;
}

}  // namespace

absl::StatusOr<Binding> ParseBinding(std::string_view name) {
  if (name == "none") return Binding::kNone;
  if (name == "core") return Binding::kCore;
  if (name == "numa") return Binding::kNuma;
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(name), "': expected none, core or numa"));
}

absl::StatusOr<std::vector<topo::PuSet>> BindRanks(const topo::Topology& machine, Binding binding,
                                                   int ranks) {
  switch (binding) {
    case Binding::kNone:
      break;
    case Binding::kCore:
      return BindToCores(machine, ranks);
    case Binding::kNuma:
      return BindToNodes(machine, ranks);
  }
  return std::vector<topo::PuSet>();
}

}  // namespace llcl
