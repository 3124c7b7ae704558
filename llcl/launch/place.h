// Where a process runs, as far as this decides how another process can reach and watch it.
//
// Containers of one machine may share its boot but not its loopback network or its
// process numbers, so there is a function for each of these.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"

namespace llcl {

// A value.
struct Place {
  std::string machine;            // the host's name and boot id
  std::string network_namespace;  // empty: not known
  std::string process_namespace;  // empty: not known
  pid_t process = 0;
};

// Do both see the same loopback network?
bool SharesNetwork(const Place& a, const Place& b);
// Does each know the other by its process number?
bool SharesProcesses(const Place& a, const Place& b);
// Do all of them see the same loopback network?
bool ShareNetwork(const std::vector<Place>& places);
// Are all of them on one machine, sharing its network and process numbers?
bool AreTogether(const std::vector<Place>& places);

// The host of each rank, by rank: ranks have the same number where they are together, as
// AreTogether says. With `most` above 0 a host has at most so many of them, the next is another.
// Hosts are numbered in the order of their first ranks.
std::vector<int> HostsOf(const std::vector<Place>& places, int most = 0);

// As text, for other ranks, and back; nothing where the text is no place.
std::string ToText(const Place& place);
std::optional<Place> PlaceOf(std::string_view text);

// Of this process.
Place ThisPlace();

// The places of all ranks, by rank. All ranks call it. Errors: Launch's.
absl::StatusOr<std::vector<Place>> GatherPlaces(Launch& launch);

}  // namespace llcl
