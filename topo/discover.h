// Topologies from the outside world: this machine, an XML file, a description.
//
// hwloc reads them; its findings are written down as a MachineDescription (read_machine.h), and
// from there on everything is a value. hwloc aborts, or uses null pointers, at some files and
// descriptions that are broken: another process reads them first, for at most 20 s (apart.h).
//
// Threads: each call is independent; two may run at once.
// Source: [ULIBC14] section 3.1.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "topo/topology.h"

namespace topo {

// The machine this process runs on. PUs and nodes that the cpuset forbids are
// present and marked as disallowed, and so are PUs that ProcessMask() (pu_set.h)
// lacks: a program under taskset, numactl or a batch system stays where it was put.
// Offline PUs are counted. Call it before pinning the main thread. Also reads the
// cgroup's CPU quota.
absl::StatusOr<Topology> ThisMachine();

// A machine written in hwloc's synthetic language, as
// "pack:4 [numa] core:8 pu:2(indexes=core:pack)", the paper's 4-way Sandybridge.
// InvalidArgument names the first word at which hwloc gives up.
absl::StatusOr<Topology> FromSynthetic(std::string_view description);

// A machine saved by `lstopo --of xml`. NotFound when the file cannot be read;
// InvalidArgument when hwloc refuses what is in it.
absl::StatusOr<Topology> FromXml(const std::string& path);

// What a --topology flag means: "" this machine, a name that ends in ".xml" a
// file, anything else a synthetic description.
absl::StatusOr<Topology> FromFlag(const std::string& text);

}  // namespace topo
