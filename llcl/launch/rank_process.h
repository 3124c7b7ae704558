// One rank of a job as a process of this one: how it is started, and its input and output.
//
// Threads: one.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "llcl/launch/labeled.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A resource.
struct RankProcess {
  pid_t pid = -1;
  bool is_running = false;  // until it has been waited for
  OwnedFd ended;            // a pidfd while it runs, or none where the system refuses it
  OwnedFd socket;           // for PMI
  OwnedFd input;            // open as long as it may run
  std::string received;     // from `socket`
  std::string to_send;      // by `socket`
  Labeled output, errors;   // where its lines have labels
};

// A value; processes.h says more of the fields.
struct RankStart {
  int rank = 0, ranks = 1;
  const std::vector<std::string>& command;
  const std::vector<std::pair<std::string, std::string>>& environment;
  const std::string& input;
  const std::string& output;
  bool labels_output = false;
  sigset_t signals = {};    // that it begins with
  rlimit descriptors = {};  // its limit
};

// Errors: ResourceExhausted, Unavailable; then nothing runs.
absl::Status StartRank(const RankStart& start, RankProcess& process);

// NotFound where `program` is neither a file that may be executed nor in one of PATH's folders.
absl::Status CheckProgram(const std::string& program);

}  // namespace llcl
