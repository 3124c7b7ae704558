// A job on this machine: ranks, programs, input, output and bounds.
#pragma once

#include <signal.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "topo/pu_set.h"

namespace llcl {

// The input of a job's processes.
enum class JobInput {
  kOwn,          // rank 0 reads the input of this process, the other ranks read none
  kIntoFrames,   // for remote shells: every shell gets first_input, the first also our input
  kOutOfFrames,  // for a proxy: rank 0 reads the bytes of the frames; the ranks end with the stream
};

// The exit code of a proxy whose ranks have returned 0, unless srun started it: the code 0 of a
// remote shell that has run no proxy is not taken for it. No usual program ends with this number; a
// rank's own is 1.
inline constexpr int kRanksEndedWell = 93;

// Lines of a job's output and errors.
enum class JobLines {
  kMixed,    // processes write to this process's output
  kWhole,    // lines of two processes do not mix
  kLabeled,  // each begins with its rank
};

// How the ranks of several machines meet (launch/rendezvous.h). A value.
struct Meeting {
  std::string address;  // host:port of rank 0
  std::string secret;
  int ranks = 1;  // of the whole job
};

// A value.
struct JobOptions {
  int ranks = 1;                                   // the processes here
  std::vector<std::string> command;                // and its arguments
  std::vector<std::vector<std::string>> commands;  // or one for each rank
  std::vector<int> numbers;                        // the ranks' numbers; empty: from 0
  std::vector<std::string> names;                  // of the processes in messages; empty: "rank N"
  std::vector<topo::PuSet> bindings;               // the PUs of each rank; empty: all of ours
  std::optional<Meeting> meeting = {};             // none: the ranks meet by PMI
  JobInput input = JobInput::kOwn;
  std::string first_input = {};  // of kIntoFrames; input_frames.h
  // Of each process: the SIGINT that a terminal sends to all its processes is not for it; empty: of
  // none. A remote shell that it ended would take the last output of its ranks with it.
  std::vector<bool> ignores_interrupts = {};
  // The file for the output and errors of a rank, with the rank's number in place of each %r.
  // Empty: the output and errors of this process.
  std::string output;
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
  JobLines lines = JobLines::kMixed;
  int code_when_well = 0;    // of each process
  int seconds_to_end = 2;    // from SIGTERM to SIGKILL
  bool keeps_going = false;  // the others go on when one fails
  // How long the job may take; none: for ever.
  std::optional<int> most_seconds = {};
  std::optional<sigset_t> signals = {};  // the mask that ranks begin with; none: the caller's
};

// InvalidArgument for options that no job can have, with field and value.
absl::Status Check(const JobOptions& options);

}  // namespace llcl
