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
#include "llcl/owned_fd.h"
#include "llcl/start/job_options.h"
#include "llcl/start/labeled.h"
#include "topo/pu_set.h"

namespace llcl {

// A resource.
struct RankProcess {
  pid_t pid = -1;
  bool is_running = false;  // until it has been waited for
  OwnedFd ended;            // a pidfd while it runs, or none where the system refuses it
  OwnedFd socket;           // for PMI
  OwnedFd input;            // the write end of its input, unless inherited
  std::string received;     // from `socket`: a line whose end has not come
  std::string to_send;      // by `socket`
  Labeled output, errors;   // where lines are not mixed

  // The lines that have come by the socket, which this closes where the rank has.
  std::vector<std::string> TakeLines();
  // Sends of to_send the part that the socket has room for.
  void Flush();
};

// A value; processes.h says more of the fields.
struct RankStart {
  int rank = 0;
  int local_rank = 0;  // among those of this machine
  const std::vector<std::string>& command;
  OutputSink& output;  // where lines are not mixed
  OutputSink& errors;
  bool ignores_interrupts = false;
  const topo::PuSet* pus = nullptr;  // null: all
  const JobOptions& job;
  sigset_t signals = {};    // that it begins with
  rlimit descriptors = {};  // its limit
};

// Errors: ResourceExhausted, Unavailable; then nothing runs.
absl::Status StartRank(const RankStart& start, RankProcess& process);

// NotFound where `program` is neither an executable file nor in a folder of `path`, as the variable
// PATH lists them; null: of this process's PATH.
absl::Status CheckProgram(const std::string& program, const char* path = nullptr);

// CheckProgram for each program of the job, with the PATH of its ranks.
absl::Status CheckPrograms(const JobOptions& job);

// Raises this process's limit of open files, of which each rank takes some: the usual soft limit is
// for programs that use select(). `before`: the limit that was, for the ranks. Errors:
// ResourceExhausted.
absl::Status RaiseDescriptorLimit(const JobOptions& job, rlimit& before);

}  // namespace llcl
