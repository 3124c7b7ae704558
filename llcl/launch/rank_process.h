// A rank of a job as a child process: start, input and output. In a job on several machines also
// the remote shell of a machine.
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
  OwnedFd input;            // the write end of its input, unless inherited
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

// NotFound where `program` is neither an executable file nor in a folder of PATH.
absl::Status CheckProgram(const std::string& program);

}  // namespace llcl
