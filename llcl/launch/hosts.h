// Jobs on several machines: which rank runs where, and the remote shell's command that starts it.
//
// A host file has a line for each machine, as with MPI's launchers:
//
//   node1 slots=4      # four ranks; without slots one
//   node2:4            # as MPICH writes it
//   node3 slots=4 max_slots=8     # as Open MPI does
//
// The ranks meet at the first machine (launch/rendezvous.h), and read the secret as the first line
// of their input: neither the list of processes nor a file shows it.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
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

// A value: what is the same for all ranks of a job.
struct RemoteJob {
  std::string rendezvous;  // host:port of rank 0
  int ranks = 1;
  std::string folder;  // the program's working directory there
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
};

// One command for a POSIX shell on the rank's machine. It reads a line with the secret, runs the
// program as that rank, returns its exit code, and ends it when the command's input ends: with the
// launcher, or the connection to that machine.
std::string RemoteCommand(const RemoteJob& job, int rank);

}  // namespace llcl
