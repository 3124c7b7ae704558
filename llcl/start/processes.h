// The processes of a job on this machine: started together, ended together.
//
// Each gets a socket to this process, by which it speaks PMI-1 (start/pmi_server.h) as it
// would to mpiexec. When one fails all others are ended (or go on), with the processes that
// they started; when this process dies, for any reason, so do they.
//
// A job on several machines has three levels: llclrun here runs a remote shell for each machine,
// the shell runs llclrun there (the proxy), and the proxy runs the ranks of its machine.
//
// Threads: one; uses SIGCHLD-less waiting (pidfds), and takes SIGPIPE and the signals of
// TakenSignals (guard.h) for itself while it runs. The process becomes a subreaper.
#pragma once

#include "absl/status/statusor.h"
#include "llcl/start/job_options.h"

namespace llcl {

// Runs the job to its end; returns the exit code: 0 if all ranks returned 0, else that
// of the first that failed (128 and the signal if it was killed), with the reason on
// standard error; 124 if it took too long. Errors: NotFound where there is no such program;
// ResourceExhausted where not all can be started, and Unavailable where an output file cannot be
// made; then none runs. InvalidArgument for impossible options, with field and value.
absl::StatusOr<int> RunJob(const JobOptions& options);

}  // namespace llcl
