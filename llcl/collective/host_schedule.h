// Schedules in two levels, for teams with several ranks on a host: a host sends fewer bytes by the
// network, and waits for the network less often. schedule.h explains schedules.
//
//   barrier, broadcast, allreduce of short values
//                         inside each host, then among one rank of each host, then inside again
//   allreduce of long values, where hosts have equally many ranks
//                         a reduce-scatter inside each host, an allreduce of each block among its
//                         owners on the hosts, an allgather inside each host: n / h bytes for each
//                         of the h ranks of a host go by the network, in place of n
//
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "llcl/collective/long_schedule.h"
#include "llcl/collective/schedule.h"

namespace llcl {

// The hosts of a team. A value.
class TeamHosts {
 public:
  TeamHosts() = default;
  // `hosts`: a number of each rank's host, by rank in the team.
  explicit TeamHosts(std::span<const int> hosts);

  // Are there several hosts, of which one has several ranks?
  bool have_levels() const { return groups_.size() > 1 && groups_.size() < ranks_; }
  bool are_equal() const;
  // The ranks of each host, in their order; hosts in the order of their first ranks.
  const std::vector<std::vector<int>>& groups() const { return groups_; }
  std::size_t GroupOf(int rank) const { return of_[static_cast<std::size_t>(rank)]; }
  // The most ranks of a host.
  int most() const;
  // One rank of each host, by host: the first, but `chosen` of its own host.
  std::vector<int> Leaders(int chosen) const;

 private:
  std::size_t ranks_ = 0;
  std::vector<std::vector<int>> groups_;
  std::vector<std::size_t> of_;  // the group of each rank
};

Schedule HostBarrierSchedule(int rank, const TeamHosts& hosts);
// The buffer: the bytes.
Schedule HostBroadcastSchedule(int rank, const TeamHosts& hosts, int root, std::size_t bytes);
// The buffer: the rank's own values, in the end the combination of all.
Schedule HostAllreduceSchedule(int rank, const TeamHosts& hosts, std::size_t bytes);

// The buffer: `bytes` of values, and their combinations. Precondition: hosts.are_equal() and
// have_levels().
Schedule LongHostAllreduceSchedule(int rank, const TeamHosts& hosts, std::size_t bytes,
                                   std::size_t unit);

}  // namespace llcl
