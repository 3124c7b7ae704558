// One rank of a job as a process of this one: how it is started, and its input and output. Of a job
// on several machines also the remote shell of one machine.
//
// Threads: one.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "llcl/launch/job_options.h"
#include "llcl/launch/labeled.h"
#include "llcl/owned_fd.h"
#include "topo/pu_set.h"

namespace llcl {

// A resource.
struct RankProcess {
  pid_t pid = -1;
  bool is_running = false;  // until it has been waited for
  OwnedFd ended;            // a pidfd while it runs, or none where the system refuses it
  OwnedFd socket;           // for PMI
  OwnedFd input;            // the end of its input that is written to, where that is not ours
  std::string received;     // from `socket`
  std::string to_send;      // by `socket`
  Labeled output, errors;   // where lines are not mixed
};

// A value; processes.h says more of the fields.
struct RankStart {
  int rank = 0;
  const std::vector<std::string>& command;
  const topo::PuSet* pus = nullptr;  // null: all
  const JobOptions& job;
  sigset_t signals = {};    // that it begins with
  rlimit descriptors = {};  // its limit
};

// Errors: ResourceExhausted, Unavailable; then nothing runs.
absl::Status StartRank(const RankStart& start, RankProcess& process);

// NotFound where `program` is neither a file that may be executed nor in one of PATH's folders.
absl::Status CheckProgram(const std::string& program);

}  // namespace llcl
