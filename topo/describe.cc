#include "topo/describe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace topo {
namespace {

std::string Plural(int count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string DescribeNode(const Topology& topology, const Node& node) {
  std::string text = absl::StrCat("NUMA node ", ToInt(node.id));
  if (node.os_index != ToInt(node.id)) absl::StrAppend(&text, " (OS #", node.os_index, ")");
  absl::StrAppend(&text, ": ",
                  node.memory_bytes > 0 ? FormatBytes(node.memory_bytes) : "size unknown");
  if (node.tier != MemoryTier::kDram) {
    absl::StrAppend(&text, ", ", std::string(ToString(node.tier)), " memory");
  }
  if (node.bandwidth_mib_s > 0) absl::StrAppend(&text, ", ", node.bandwidth_mib_s, " MiB/s");
  if (node.latency_ns > 0) absl::StrAppend(&text, ", ", node.latency_ns, " ns");
  if (const std::string caches = DescribeCaches(topology, node.id); !caches.empty()) {
    absl::StrAppend(&text, ", ", caches);
  }
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

std::string DescribeCaches(const Topology& topology, NodeId node) {
  // (level, size, instruction) -> how many of this node's PUs share one.
  std::map<std::tuple<int, std::uint64_t, bool>, int, std::greater<>> found;
  for (const Cache& cache : topology.caches()) {
    const bool here = std::any_of(cache.pus.begin(), cache.pus.end(), [&](PuId id) {
      const Pu* pu = topology.Find(id);
      return pu != nullptr && topology.Home(*pu) == node;
    });
    if (here) ++found[{cache.level, cache.size_bytes, cache.instruction}];
  }
  std::string text;
  for (const auto& [key, count] : found) {
    const auto& [level, size, instruction] = key;
    if (instruction) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", count == 1 ? "" : absl::StrCat(count, " × "),
                    "L", level, level == 1 ? "d " : " ", FormatBytes(size));
  }
  return text;
}

std::vector<NodeId> NodesBeside(const Topology& topology, NodeId home) {
  std::vector<NodeId> beside;
  for (const Pu& pu : topology.pus()) {
    if (topology.Home(pu) != home) continue;
    for (NodeId node : pu.near) {
      if (node != home && std::find(beside.begin(), beside.end(), node) == beside.end()) {
        beside.push_back(node);
      }
    }
  }
  return beside;
}

std::string DescribeTree(const Topology& topology) {
  std::string text =
      absl::StrCat(topology.source(), ": ", Plural(topology.packages(), "package"), ", ",
                   Plural(static_cast<int>(topology.nodes().size()), "NUMA node"), ", ",
                   Plural(topology.cores(), "core"), ", ",
                   Plural(static_cast<int>(topology.pus().size()), "PU"));
  if (topology.allowed_pus() < static_cast<int>(topology.pus().size())) {
    absl::StrAppend(&text, ", ", topology.allowed_pus(), " allowed");
  }
  if (topology.offline_pus() > 0) absl::StrAppend(&text, ", ", topology.offline_pus(), " offline");
  if (topology.cpu_quota()) absl::StrAppend(&text, ", CPU quota ", *topology.cpu_quota());
  absl::StrAppend(&text, "\n");

  std::map<int, std::map<NodeId, std::map<int, std::vector<const Pu*>>>> tree;
  std::map<NodeId, bool> shown;
  for (const Pu& pu : topology.pus()) tree[pu.package][topology.Home(pu)][pu.core].push_back(&pu);
  for (const auto& [package, nodes] : tree) {
    absl::StrAppend(&text, "  package ", package, "\n");
    for (const auto& [node, cores] : nodes) {
      shown[node] = true;
      absl::StrAppend(&text, "    ", DescribeNode(topology, topology[node]), "\n");
      for (NodeId other : NodesBeside(topology, node)) {
        shown[other] = true;
        absl::StrAppend(&text, "    ", DescribeNode(topology, topology[other]), " [same PUs]\n");
      }
      for (const auto& [core, pus] : cores) {
        absl::StrAppend(&text, "      ", DescribeCore(topology, pus), "\n");
      }
    }
  }
  for (const Node& node : topology.nodes()) {
    if (!shown[node.id]) {
      absl::StrAppend(&text, "  ", DescribeNode(topology, node), " [no PU of its own]\n");
    }
  }
  return text;
}

}  // namespace topo
