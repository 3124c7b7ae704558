#include "llcl/collective/host_schedule.h"

#include <algorithm>
#include <bit>
#include <map>

namespace llcl {
namespace {

std::size_t RoundsOf(int size) {
  return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size - 1)));
}

// Of `ranks`, this one's position; their number where it is not among them.
int PositionIn(std::span<const int> ranks, int rank) {
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

// Appends a schedule of the ranks' positions, `rounds` rounds long, in which this rank may have no
// part. Its buffer begins at `base`.
void Append(Schedule& to, const Schedule* schedule, std::span<const int> ranks, std::size_t rounds,
            std::size_t base = 0) {
  const std::size_t first = to.rounds.size();
  to.rounds.resize(first + rounds);
  if (schedule == nullptr) return;
  for (std::size_t i = 0; i < schedule->rounds.size(); ++i) {
    Round& round = to.rounds[first + i];
    round = schedule->rounds[i];
    for (auto* const parts : {&round.sends, &round.receipts}) {
      for (Part& part : *parts) {
        part.peer = ranks[static_cast<std::size_t>(part.peer)];
        part.at += base;
        if (part.operand) *part.operand += base;
      }
    }
  }
}

// The ranks of a rank's host, with its leader first.
std::vector<int> HostOf(int rank, const TeamHosts& hosts, std::span<const int> leaders) {
  const std::size_t group = hosts.GroupOf(rank);
  std::vector<int> ranks = hosts.groups()[group];
  const int leader = leaders[group];
  std::rotate(ranks.begin(), std::find(ranks.begin(), ranks.end(), leader),
              std::find(ranks.begin(), ranks.end(), leader) + 1);
  return ranks;
}

// Of the rounds of AllreduceSchedule.
std::size_t AllreduceRounds(int size) { return AllreduceSchedule(0, size, 0).rounds.size(); }

}  // namespace

TeamHosts::TeamHosts(std::span<const int> hosts) : ranks_(hosts.size()) {
  std::map<int, std::size_t> seen;  // the group of each host
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const auto [found, is_new] = seen.emplace(hosts[rank], groups_.size());
    if (is_new) groups_.emplace_back();
    const std::size_t group = found->second;
    groups_[group].push_back(static_cast<int>(rank));
    of_.push_back(group);
  }
}

bool TeamHosts::are_equal() const {
  return std::all_of(groups_.begin(), groups_.end(),
                     [&](const auto& group) { return group.size() == groups_.front().size(); });
}

int TeamHosts::most() const {
  std::size_t most = 0;
  for (const auto& group : groups_) most = std::max(most, group.size());
  return static_cast<int>(most);
}

std::vector<int> TeamHosts::Leaders(int chosen) const {
  std::vector<int> leaders;
  for (const auto& group : groups_) leaders.push_back(group.front());
  leaders[GroupOf(chosen)] = chosen;
  return leaders;
}

Schedule HostBarrierSchedule(int rank, const TeamHosts& hosts) {
  return HostAllreduceSchedule(rank, hosts, 0);
}

Schedule HostBroadcastSchedule(int rank, const TeamHosts& hosts, int root, std::size_t bytes) {
  Schedule schedule = {.buffer_bytes = bytes};
  const std::vector<int> leaders = hosts.Leaders(root), host = HostOf(rank, hosts, leaders);
  const int among = static_cast<int>(leaders.size()), inside = static_cast<int>(host.size());
  const Schedule far =
      BroadcastSchedule(PositionIn(leaders, rank), among, PositionIn(leaders, root), bytes);
  Append(schedule, host.front() == rank ? &far : nullptr, leaders, RoundsOf(among));
  const Schedule near = BroadcastSchedule(PositionIn(host, rank), inside, 0, bytes);
  Append(schedule, &near, host, RoundsOf(hosts.most()));
  return schedule;
}

Schedule HostAllreduceSchedule(int rank, const TeamHosts& hosts, std::size_t bytes) {
  Schedule schedule = {.buffer_bytes = bytes, .rounds = {}, .overwrites = true};
  const std::vector<int> leaders = hosts.Leaders(0), host = HostOf(rank, hosts, leaders);
  const int among = static_cast<int>(leaders.size()), inside = static_cast<int>(host.size());
  const int position = PositionIn(host, rank);
  const Schedule reduce = ReduceSchedule(position, inside, 0, bytes);
  Append(schedule, &reduce, host, RoundsOf(hosts.most()));
  const Schedule far = AllreduceSchedule(PositionIn(leaders, rank), among, bytes);
  Append(schedule, position == 0 ? &far : nullptr, leaders, AllreduceRounds(among));
  const Schedule broadcast = BroadcastSchedule(position, inside, 0, bytes);
  Append(schedule, &broadcast, host, RoundsOf(hosts.most()));
  return schedule;
}

Schedule LongHostAllreduceSchedule(int rank, const TeamHosts& hosts, std::size_t bytes,
                                   std::size_t unit) {
  Schedule schedule = {.buffer_bytes = 2 * bytes};
  const std::vector<int>& host = hosts.groups()[hosts.GroupOf(rank)];
  const int inside = static_cast<int>(host.size());
  const int position = PositionIn(host, rank);
  const Blocks blocks = Blocks::Even(bytes, inside, unit);
  AddReduceScatter(schedule, position, host, blocks, 0, bytes + blocks.at(position));
  // The ranks at this position, one of each host.
  std::vector<int> peers;
  for (const auto& group : hosts.groups()) {
    peers.push_back(group[static_cast<std::size_t>(position)]);
  }
  const auto at = static_cast<int>(hosts.GroupOf(rank));
  const std::size_t base = bytes + blocks.at(position);
  const Blocks pieces = Blocks::Even(blocks.bytes(position), static_cast<int>(peers.size()), unit);
  AddReduceScatter(schedule, at, peers, pieces, base, base + pieces.at(at));
  AddRing(schedule, at, peers, pieces, base);
  AddRing(schedule, position, host, blocks, bytes);
  return schedule;
}

}  // namespace llcl
