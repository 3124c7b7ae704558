// The processes of a job on this machine: started together, ended together.
//
// Each gets a socket to this process, by which it speaks PMI-1 (launch/pmi_server.h) as it
// would to mpiexec. When one fails all others are ended (or go on), with the processes that
// they started; when this process dies, for any reason, so do they.
//
// Threads: one; uses SIGCHLD-less waiting (pidfds), and takes SIGINT, SIGTERM and
// SIGHUP for itself while it runs. The process becomes a subreaper.
#pragma once

#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace llcl {

// A value.
struct JobOptions {
  int ranks = 1;
  std::vector<std::string> command;                // and its arguments
  std::vector<std::vector<std::string>> commands;  // or one for each rank
  // Of each rank, open until the rank is ended. Empty: rank 0 has this process's, the others none.
  std::string input;
  // The file of each rank's output and errors, with the rank's number in place of %r. Empty: they
  // go where this process's go.
  std::string output;
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
  bool labels_output = false;  // each line of output begins with its rank
  bool keeps_going = false;    // the others go on when one fails
  // How long the job may take; none: for ever.
  std::optional<std::chrono::seconds> most = {};
  std::optional<sigset_t> signals = {};  // the mask that ranks begin with; none: the caller's
};

// Runs the job to its end; returns the exit code: 0 if all ranks returned 0, else that
// of the first that failed (128 and the signal if it was killed), with the reason on
// standard error; 124 if it took too long. Errors: NotFound where there is no such program;
// ResourceExhausted where not all can be started, and Unavailable where an output file cannot be
// made; then none runs. InvalidArgument for impossible options, with field and value.
absl::StatusOr<int> RunJob(const JobOptions& options);

}  // namespace llcl
