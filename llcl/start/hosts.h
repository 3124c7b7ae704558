// Jobs on several machines: which rank runs where, and the remote shell's command that starts the
// ranks of one machine.
//
// A host file has a line for each machine, as with MPI's launchers:
//
//   node1 slots=4      # four ranks; without slots one
//   node2:4            # as MPICH writes it
//   node3 slots=4 max_slots=8     # as Open MPI does
//   user@node4         # as ssh takes it
//   [fd00::1]:4        # an address of IPv6; without slots also without brackets
//
// The ranks meet at the first machine (launch/rendezvous.h). The proxy, llclrun on each machine,
// reads the secret as the first frame of its input: neither the list of processes nor a file shows
// it.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace llcl {

// A value.
struct HostSlots {
  std::string host;
  int slots = 1;
  friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

// Errors: InvalidArgument, "FILE:LINE: what is wrong and what is expected".
absl::StatusOr<std::vector<HostSlots>> ParseHostFile(std::string_view text,
                                                     const std::string& file);

// The hosts of "node1,node2:4". Errors: InvalidArgument, with the word that is wrong.
absl::StatusOr<std::vector<HostSlots>> ParseHosts(std::string_view list);

// The host of each rank: the slots are filled in order. `ranks`: zero for all slots. Errors:
// InvalidArgument where there are fewer slots.
absl::StatusOr<std::vector<std::string>> AssignRanks(const std::vector<HostSlots>& hosts,
                                                     int ranks);

// The machine of "user@machine".
std::string WithoutUser(const std::string& host);

// Does the word lead each machine to itself?
bool IsLoopbackHost(const std::string& host);

// "host:port", as LLCL_RENDEZVOUS has it: an address of IPv6 in brackets.
std::string FormatAddress(const std::string& host, int port);

// A value: the ranks of one machine, in order.
struct HostRanks {
  std::string host;
  std::vector<int> ranks;
  friend bool operator==(const HostRanks&, const HostRanks&) = default;
};

// One for each host, in the order of their first ranks.
std::vector<HostRanks> GroupByHost(const std::vector<std::string>& host_of);

// A value: a program and how many ranks run it; a job has several, whose ranks follow each other.
struct Program {
  int ranks = 1;
  std::vector<std::string> command;
  friend bool operator==(const Program&, const Program&) = default;
};

// The programs of some of the job's ranks.
std::vector<Program> ProgramsOf(const std::vector<int>& ranks, const std::vector<Program>& all);

// "0-3,7" of 0, 1, 2, 3, 7, and back. Errors: InvalidArgument.
std::string FormatRanks(const std::vector<int>& ranks);
absl::StatusOr<std::vector<int>> ParseRanks(std::string_view text);

// One command for a POSIX shell: in `folder`, runs the words, each as it is, and nothing else.
std::string ShellCommand(const std::string& folder, const std::vector<std::string>& words);

// Is the remote shell Slurm's srun, also by a path?
bool IsSrun(const std::vector<std::string>& shell);

// The remote shell's words with a host and a command: as ssh takes them, or srun.
std::vector<std::string> RemoteShell(std::vector<std::string> shell, const std::string& host,
                                     const std::string& command);

}  // namespace llcl
