#include "topo/read_machine.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "topo/tier.h"

namespace topo {
namespace {

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

}  // namespace

MachineDescription ReadMachine(hwloc_topology_t topology, std::string source) {
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

}  // namespace topo
