// The machines of the job, as the environment of a batch system names them.
//
//   Slurm         SLURM_JOB_NODELIST "node[01-03,7],gpu1", SLURM_TASKS_PER_NODE "2(x3),1"
//   PBS, Torque   PBS_NODEFILE, a file with a line for each slot
//   LSF           LSB_DJOB_HOSTFILE, a file with a line for each slot; LSB_MCPU_HOSTS "node1 4
//   node2 2" Grid Engine   PE_HOSTFILE, a file of lines "node1 4 queue processors"
//
// Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/start/hosts.h"

namespace llcl {

// A value.
struct Allocation {
  std::string source;  // as "SLURM_JOB_NODELIST": for messages
  bool is_slurms = false;
  std::vector<HostSlots> hosts;
};

// None outside a batch system. `variable` returns null for an unset variable; `file` returns the
// text of a file, or an error. Errors: file's, and InvalidArgument with the variable's name for
// text in no form of the batch system's.
absl::StatusOr<std::optional<Allocation>> FindAllocation(
    const std::function<const char*(const char* name)>& variable,
    const std::function<absl::StatusOr<std::string>(const std::string& path)>& file);

// "node[01-03,7],gpu1": node01, node02, node03, node7, gpu1. Errors: InvalidArgument.
absl::StatusOr<std::vector<std::string>> ExpandNodeList(std::string_view list);

// "2(x3),1": 2, 2, 2, 1. Errors: InvalidArgument.
absl::StatusOr<std::vector<int>> ExpandCounts(std::string_view counts);

}  // namespace llcl
