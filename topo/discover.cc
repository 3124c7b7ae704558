#include "topo/discover.h"

#include <hwloc.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topo/cpu_quota.h"
#include "topo/pu_set.h"
#include "topo/tier.h"

namespace topo {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Hwloc = std::unique_ptr<hwloc_topology, Destroy>;

Hwloc NewHwloc() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return Hwloc(topology);
}

// Calls visit(object) for each object of `type`.
template <typename Visit>
void ForEach(hwloc_topology_t topology, hwloc_obj_type_t type, Visit visit) {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) visit(object);
}

std::vector<PuId> PusIn(hwloc_const_cpuset_t set) {
  std::vector<PuId> pus;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) {
    pus.push_back(PuId{i});
  }
  return pus;
}

std::uint64_t Attribute(hwloc_topology_t topology, hwloc_memattr_id_t attribute, hwloc_obj_t node) {
  if (node->cpuset == nullptr || hwloc_bitmap_iszero(node->cpuset)) return 0;
  hwloc_location initiator;
  initiator.type = HWLOC_LOCATION_TYPE_CPUSET;
  initiator.location.cpuset = node->cpuset;
  hwloc_uint64_t value = 0;
  return hwloc_memattr_get_value(topology, attribute, node, &initiator, 0, &value) == 0 ? value : 0;
}

// The nodes in the order of their OS numbers; hwloc's objects in `objects`.
// Tiers come later: they depend on which PUs are near.
std::vector<Node> ReadNodes(hwloc_topology_t topology, std::vector<hwloc_obj_t>& objects) {
  ForEach(topology, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t object) { objects.push_back(object); });
  std::sort(objects.begin(), objects.end(),
            [](hwloc_obj_t a, hwloc_obj_t b) { return a->os_index < b->os_index; });
  const hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(topology);
  std::vector<Node> nodes;
  for (hwloc_obj_t object : objects) {
    nodes.push_back({.id = NodeId{static_cast<int>(nodes.size())},
                     .os_index = static_cast<int>(object->os_index),
                     .memory_bytes = object->attr->numanode.local_memory,
                     .allowed = hwloc_bitmap_isset(allowed, object->os_index) != 0,
                     .bandwidth_mib_s = Attribute(topology, HWLOC_MEMATTR_ID_BANDWIDTH, object),
                     .latency_ns = Attribute(topology, HWLOC_MEMATTR_ID_LATENCY, object)});
  }
  return nodes;
}

// Appends the NUMA nodes among an object's memory children; a memory-side cache
// stands between some and their parent.
void CollectNodes(hwloc_obj_t parent, const std::map<hwloc_obj_t, NodeId>& ids,
                  std::vector<NodeId>& nodes) {
  for (hwloc_obj_t child = parent->memory_first_child; child != nullptr;
       child = child->next_sibling) {
    if (const auto id = ids.find(child); id != ids.end()) nodes.push_back(id->second);
    CollectNodes(child, ids, nodes);
  }
}

// The nodes on the way from a PU up to the machine, the closest first, and of
// equally close ones the PU's own before memory that has no PUs. hwloc hangs
// such memory beside the closest node it knows of, or else on the whole
// machine; that is near only where there is nothing closer.
std::vector<NodeId> NodesNear(hwloc_obj_t pu, const std::map<hwloc_obj_t, NodeId>& ids) {
  std::vector<NodeId> near;
  for (hwloc_obj_t object = pu; object != nullptr; object = object->parent) {
    if (object->parent == nullptr && !near.empty()) break;
    CollectNodes(object, ids, near);
  }
  return near;
}

// Sets each node's tier, and puts ordinary memory first in each PU's list.
void ClassifyTiers(const std::vector<hwloc_obj_t>& objects, MachineDescription& machine) {
  for (Node& node : machine.nodes) {
    const hwloc_obj_t object = objects[ToInt(node.id)];
    TierFacts facts{.subtype = object->subtype != nullptr ? object->subtype : "",
                    .has_pus = false,
                    .bandwidth_mib_s = node.bandwidth_mib_s,
                    .memory_bytes = node.memory_bytes};
    for (const Pu& pu : machine.pus) {
      if (std::find(pu.near.begin(), pu.near.end(), node.id) == pu.near.end()) continue;
      const Node& first = machine.nodes[ToInt(pu.near[0])];
      if (first.id == node.id) {
        facts.has_pus = true;
      } else {
        facts.dram_bandwidth_mib_s = first.bandwidth_mib_s;
        facts.dram_memory_bytes = first.memory_bytes;
      }
    }
    node.tier = GuessTier(facts);
  }
  for (Pu& pu : machine.pus) {
    std::stable_partition(pu.near.begin(), pu.near.end(), [&](NodeId node) {
      return machine.nodes[ToInt(node)].tier == MemoryTier::kDram;
    });
  }
}

std::vector<Pu> ReadPus(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& objects) {
  const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
  std::map<hwloc_obj_t, NodeId> ids;
  for (std::size_t i = 0; i < objects.size(); ++i) ids[objects[i]] = NodeId{static_cast<int>(i)};
  std::vector<Pu> pus;
  std::map<int, int> pus_in_core;
  ForEach(topology, HWLOC_OBJ_PU, [&](hwloc_obj_t object) {
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, object);
    Pu pu{.id = PuId{static_cast<int>(object->os_index)},
          .package = package != nullptr ? static_cast<int>(package->logical_index) : 0,
          // A machine without core objects has a core for each PU.
          .core = static_cast<int>((core != nullptr ? core : object)->logical_index),
          .allowed = hwloc_bitmap_isset(allowed, object->os_index) != 0,
          .near = NodesNear(object, ids)};
    pu.smt = pus_in_core[pu.core]++;
    pus.push_back(std::move(pu));
  });
  return pus;
}

std::vector<Cache> ReadCaches(hwloc_topology_t topology) {
  std::vector<Cache> caches;
  for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; ++type) {
    ForEach(topology, static_cast<hwloc_obj_type_t>(type), [&](hwloc_obj_t object) {
      const auto& cache = object->attr->cache;
      caches.push_back({.level = static_cast<int>(cache.depth),
                        .instruction = cache.type == HWLOC_OBJ_CACHE_INSTRUCTION,
                        .size_bytes = cache.size,
                        .line_bytes = static_cast<int>(cache.linesize),
                        .pus = PusIn(object->cpuset)});
    });
  }
  return caches;
}

std::vector<CoreKind> ReadCoreKinds(hwloc_topology_t topology, std::vector<Pu>& pus) {
  std::vector<CoreKind> kinds;
  const int count = std::max(0, hwloc_cpukinds_get_nr(topology, 0));
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (int kind = 0; kind < count; ++kind) {
    int efficiency = -1;
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (hwloc_cpukinds_get_info(topology, kind, set, &efficiency, &infos, &info, 0) != 0) continue;
    CoreKind read{.name = "", .efficiency = efficiency};
    for (unsigned i = 0; i < infos; ++i) {
      if (std::strcmp(info[i].name, "CoreType") == 0) read.name = info[i].value;
    }
    for (Pu& pu : pus) {
      if (hwloc_bitmap_isset(set, ToInt(pu.id))) pu.kind = static_cast<int>(kinds.size());
    }
    kinds.push_back(std::move(read));
  }
  hwloc_bitmap_free(set);
  return kinds;
}

// The latency matrix between all nodes, empty where it does not cover them.
std::vector<std::uint64_t> ReadDistances(hwloc_topology_t topology,
                                         const std::vector<hwloc_obj_t>& objects) {
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  const unsigned long kind = HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found, kind, 0) != 0 ||
      count == 0) {
    return {};
  }
  const std::size_t n = objects.size();
  std::vector<std::uint64_t> distances(n * n, 0);
  std::vector<int> position(n, -1);
  bool complete = found->nbobjs == n;
  for (std::size_t i = 0; complete && i < n; ++i) {
    position[i] = hwloc_distances_obj_index(found, objects[i]);
    complete = position[i] >= 0;
  }
  for (std::size_t i = 0; complete && i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      distances[i * n + j] = found->values[position[i] * n + position[j]];
    }
  }
  hwloc_distances_release(topology, found);
  return complete ? distances : std::vector<std::uint64_t>{};
}

MachineDescription Describe(hwloc_topology_t topology, std::string source) {
  MachineDescription machine;
  std::vector<hwloc_obj_t> objects;
  machine.nodes = ReadNodes(topology, objects);
  machine.pus = ReadPus(topology, objects);
  ClassifyTiers(objects, machine);
  machine.caches = ReadCaches(topology);
  machine.core_kinds = ReadCoreKinds(topology, machine.pus);
  machine.distances = ReadDistances(topology, objects);
  machine.offline_pus = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(topology)) -
                        static_cast<int>(machine.pus.size());
  machine.source = std::move(source);
  return machine;
}

absl::StatusOr<Topology> Finish(MachineDescription machine) {
  const bool any_allowed =
      std::any_of(machine.pus.begin(), machine.pus.end(), [](const Pu& pu) { return pu.allowed; });
  if (!any_allowed) {
    return absl::FailedPreconditionError(
        absl::StrCat(machine.source, ": no PU is allowed to this process"));
  }
  return Topology(std::move(machine));
}

// The shortest prefix of whole words that hwloc refuses, to point at the fault.
std::string FirstRefusedWord(const std::string& description) {
  std::size_t end = 0;
  while (end < description.size()) {
    const std::size_t begin = description.find_first_not_of(' ', end);
    if (begin == std::string::npos) break;
    end = std::min(description.find(' ', begin), description.size());
    Hwloc trial = NewHwloc();
    // A prefix need not be a whole machine: it may still lack its PUs.
    const std::string prefix = description.substr(0, end);
    if (hwloc_topology_set_synthetic(trial.get(), prefix.c_str()) != 0 &&
        hwloc_topology_set_synthetic(trial.get(), (prefix + " pu:1").c_str()) != 0) {
      return description.substr(begin, end - begin);
    }
  }
  return description;
}

}  // namespace

absl::StatusOr<Topology> ThisMachine() {
  // hwloc asks for ever where this call is refused, unless HWLOC_XMLFILE or HWLOC_SYNTHETIC name
  // another machine.
  if (const auto mask = AffinityMask(0);
      !mask.ok() && getenv("HWLOC_XMLFILE") == nullptr && getenv("HWLOC_SYNTHETIC") == nullptr) {
    return mask.status();
  }
  Hwloc hwloc = NewHwloc();
  if (!hwloc || hwloc_topology_load(hwloc.get()) != 0) {
    return absl::InternalError(
        absl::StrCat("hwloc cannot read this machine: ", std::strerror(errno)));
  }
  const bool real = hwloc_topology_is_thissystem(hwloc.get()) != 0;
  MachineDescription machine =
      Describe(hwloc.get(), real ? "this machine" : "the machine that HWLOC_* variables name");
  machine.this_machine = real;
  if (real) {
    // Where there is one node all memory is its own; some virtual machines that
    // grow forget to count new memory to it.
    struct sysinfo system;
    if (machine.nodes.size() == 1 && sysinfo(&system) == 0) {
      machine.nodes[0].memory_bytes = std::max<std::uint64_t>(
          machine.nodes[0].memory_bytes, std::uint64_t{system.totalram} * system.mem_unit);
    }
    if (const auto mask = ProcessMask(); mask.ok()) {
      for (Pu& pu : machine.pus) pu.allowed = pu.allowed && mask->Contains(pu.id);
    }
    machine.cpu_quota = ReadCpuQuota();
  }
  return Finish(std::move(machine));
}

absl::StatusOr<Topology> FromSynthetic(std::string_view description) {
  const std::string text(description);
  Hwloc hwloc = NewHwloc();
  if (!hwloc || hwloc_topology_set_synthetic(hwloc.get(), text.c_str()) != 0 ||
      hwloc_topology_load(hwloc.get()) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is not a synthetic topology: hwloc stops at '", FirstRefusedWord(text), "'"));
  }
  return Finish(Describe(hwloc.get(), text));
}

absl::StatusOr<Topology> FromXml(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || access(path.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file that can be read"));
  }
  Hwloc hwloc = NewHwloc();
  if (!hwloc || hwloc_topology_set_xml(hwloc.get(), path.c_str()) != 0 ||
      hwloc_topology_load(hwloc.get()) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": hwloc refuses it: expected an XML topology as `lstopo --of xml` writes it, "
                     "of version 2 or "
                     "older"));
  }
  return Finish(Describe(hwloc.get(), path));
}

absl::StatusOr<Topology> FromFlag(const std::string& text) {
  if (text.empty()) return ThisMachine();
  if (text.ends_with(".xml")) return FromXml(text);
  return FromSynthetic(text);
}

}  // namespace topo
