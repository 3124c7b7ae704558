#include "topo/describe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace topo {
namespace {

std::string Plural(std::uint64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", std::string(noun), count == 1 ? "" : "s");
}

// `caches`: of its PUs.
std::string DescribeNode(const Node& node, const std::string& caches) {
  std::string text = absl::StrCat("NUMA node ", ToInt(node.id));
  if (node.os_index != ToInt(node.id)) absl::StrAppend(&text, " (OS #", node.os_index, ")");
  absl::StrAppend(&text, ": ",
                  node.memory_bytes > 0 ? FormatBytes(node.memory_bytes) : "size unknown");
  if (node.tier != MemoryTier::kDram) {
    absl::StrAppend(&text, ", ", std::string(ToString(node.tier)), " memory");
  }
  if (node.bandwidth_mib_s > 0) absl::StrAppend(&text, ", ", node.bandwidth_mib_s, " MiB/s");
  if (node.latency_ns > 0) absl::StrAppend(&text, ", ", node.latency_ns, " ns");
  if (!caches.empty()) absl::StrAppend(&text, ", ", caches);
  if (!node.allowed) absl::StrAppend(&text, " [memory forbidden]");
  return text;
}

std::string DescribeCore(const Topology& topology, const std::vector<const Pu*>& pus) {
  std::string text = absl::StrCat("core ", pus[0]->core, ": PU ");
  absl::StrAppend(&text, absl::StrJoin(pus, ",", [](std::string* out, const Pu* pu) {
    absl::StrAppend(out, ToInt(pu->id), pu->allowed ? "" : " [forbidden]");
  }));
  const auto kinds = topology.core_kinds();
  if (kinds.size() > 1) {
    const CoreKind& kind = kinds[pus[0]->kind];
    absl::StrAppend(&text, " (kind ", pus[0]->kind,
                    kind.name.empty() ? "" : absl::StrCat(", ", kind.name), ")");
  }
  return text;
}

}  // namespace

std::string FormatBytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const double tenths = std::round(value * 10);
  std::string number = absl::StrCat(static_cast<std::int64_t>(tenths / 10));
  const int rest = static_cast<int>(tenths) % 10;
  if (rest != 0) absl::StrAppend(&number, ".", rest);
  return absl::StrCat(number, " ", kUnits[unit]);
}

std::vector<std::string> DescribeCaches(const Topology& topology) {
  // (level, size, instruction) -> how many of a node's PUs share one.
  using Found = std::map<std::tuple<int, std::uint64_t, bool>, int, std::greater<>>;
  std::vector<Found> found(topology.nodes().size());
  for (const Cache& cache : topology.caches()) {
    if (cache.instruction) continue;
    std::set<NodeId> homes;
    for (PuId id : cache.pus) {
      if (const Pu* const pu = topology.Find(id); pu != nullptr) homes.insert(topology.Home(*pu));
    }
    for (NodeId home : homes) {
      ++found[ToInt(home)][{cache.level, cache.size_bytes, cache.instruction}];
    }
  }
  std::vector<std::string> texts;
  for (const Found& caches : found) {
    std::string text;
    for (const auto& [key, count] : caches) {
      const auto& [level, size, instruction] = key;
      absl::StrAppend(&text, text.empty() ? "" : ", ", count == 1 ? "" : absl::StrCat(count, " × "),
                      "L", level, level == 1 ? "d " : " ", FormatBytes(size));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::vector<NodeId>> NodesBeside(const Topology& topology) {
  std::vector<std::vector<NodeId>> beside(topology.nodes().size());
  for (const Pu& pu : topology.pus()) {
    const NodeId home = topology.Home(pu);
    std::vector<NodeId>& nodes = beside[ToInt(home)];
    for (NodeId node : pu.near) {
      if (node != home && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
        nodes.push_back(node);
      }
    }
  }
  return beside;
}

std::string DescribeTree(const Topology& topology) {
  std::string text = absl::StrCat(
      topology.source(), ": ", Plural(static_cast<std::uint64_t>(topology.packages()), "package"),
      ", ", Plural(topology.nodes().size(), "NUMA node"), ", ",
      Plural(static_cast<std::uint64_t>(topology.cores()), "core"), ", ",
      Plural(topology.pus().size(), "PU"));
  if (topology.allowed_pus() < static_cast<int>(topology.pus().size())) {
    absl::StrAppend(&text, ", ", topology.allowed_pus(), " allowed");
  }
  if (topology.offline_pus() > 0) absl::StrAppend(&text, ", ", topology.offline_pus(), " offline");
  if (topology.cpu_quota()) absl::StrAppend(&text, ", CPU quota ", *topology.cpu_quota());
  absl::StrAppend(&text, "\n");

  std::map<int, std::map<NodeId, std::map<int, std::vector<const Pu*>>>> tree;
  for (const Pu& pu : topology.pus()) tree[pu.package][topology.Home(pu)][pu.core].push_back(&pu);
  const std::vector<std::string> caches = DescribeCaches(topology);
  const std::vector<std::vector<NodeId>> beside = NodesBeside(topology);
  std::set<NodeId> shown;
  // Once: a node that is near to several packages has its memory once.
  const auto show = [&](const char* indent, NodeId node, const char* note) {
    absl::StrAppend(&text, indent);
    if (shown.insert(node).second) {
      absl::StrAppend(&text, DescribeNode(topology[node], caches[ToInt(node)]), note, "\n");
    } else {
      absl::StrAppend(&text, "NUMA node ", ToInt(node), ", as above", note, "\n");
    }
  };
  for (const auto& [package, nodes] : tree) {
    absl::StrAppend(&text, "  package ", package, "\n");
    for (const auto& [node, cores] : nodes) {
      show("    ", node, "");
      for (NodeId other : beside[ToInt(node)]) show("    ", other, " [same PUs]");
      for (const auto& [core, pus] : cores) {
        absl::StrAppend(&text, "      ", DescribeCore(topology, pus), "\n");
      }
    }
  }
  for (const Node& node : topology.nodes()) {
    if (!shown.contains(node.id)) show("  ", node.id, " [no PU of its own]");
  }
  return text;
}

}  // namespace topo
