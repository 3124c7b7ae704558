// The ranks to which each rank of a job keeps a connection from the beginning: the ranks at
// distances 1, 2, 4, ... on both sides of it, in the circle of all ranks, and a rank of the host
// after its own, and of the host before. So some rank of another host notices the end of each rank,
// and of each host, and news of it, passed on by each rank once, reaches all. Barriers and
// reductions use the same distances.
//
// In place of a rank that is gone stands the next rank on that side.
//
// Source: the fingers of Chord (Stoica et al., SIGCOMM 2001), on both sides.
//
// Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "llcl/region.h"

namespace llcl {

// A value.
class Circle {
 public:
  // `hosts`: a number of the host of each rank, by rank; the same on all ranks.
  Circle(Rank mine, const std::vector<int>& hosts) : mine_(mine) {
    size_ = static_cast<int>(hosts.size());
    std::map<int, std::vector<Rank>> ranks;
    for (int rank = 0; rank < size_; ++rank) ranks[HostOf(hosts, Rank{rank})].push_back(Rank{rank});
    const auto own = ranks.find(HostOf(hosts, mine));
    const auto next = std::next(own) == ranks.end() ? ranks.begin() : std::next(own);
    const auto before = own == ranks.begin() ? std::prev(ranks.end()) : std::prev(own);
    partners_.push_back(PartnerOf(mine, own->second, next->second));
    for (const Rank rank : before->second) {
      if (PartnerOf(rank, before->second, own->second) == mine) partners_.push_back(rank);
    }
  }

  // Is each rank a member of the circle, or on the host, of each other rank?
  static bool KnowsAll(const std::vector<int>& hosts) {
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      const Rank mine{static_cast<std::int32_t>(rank)};
      std::size_t known = 1;
      for (std::size_t other = 0; other < hosts.size(); ++other) {
        known += other != rank && hosts[other] == hosts[rank] ? 1u : 0u;
      }
      for (const Rank member : Circle(mine, hosts).Members([](Rank) { return false; })) {
        known += HostOf(hosts, member) != hosts[rank] ? 1u : 0u;
      }
      if (known < hosts.size()) return false;
    }
    return true;
  }

  // None of them twice, none gone, and not this rank.
  template <typename IsGone>
  std::vector<Rank> Members(IsGone is_gone) const {
    std::vector<Rank> members;
    const auto add = [&](Rank member) {
      const bool is_new = std::find(members.begin(), members.end(), member) == members.end();
      if (is_new && member != mine_) members.push_back(member);
    };
    for (int distance = 1; distance < size_; distance *= 2) {
      add(FirstFrom(distance, 1, is_gone));
      add(FirstFrom(distance, -1, is_gone));
    }
    for (const Rank partner : partners_) {
      if (!is_gone(partner)) add(partner);
    }
    return members;
  }

 private:
  static int HostOf(const std::vector<int>& hosts, Rank rank) {
    return hosts[static_cast<std::size_t>(ToInt(rank))];
  }
  // The rank of the host `next` that watches `rank` of the host `own`.
  static Rank PartnerOf(Rank rank, const std::vector<Rank>& own, const std::vector<Rank>& next) {
    const auto position = std::find(own.begin(), own.end(), rank) - own.begin();
    return next[static_cast<std::size_t>(position) % next.size()];
  }
  // This rank: there is none.
  template <typename IsGone>
  Rank FirstFrom(int distance, int side, IsGone is_gone) const {
    for (int at = distance; at < size_; ++at) {
      const Rank rank{(ToInt(mine_) + side * at + size_) % size_};
      if (!is_gone(rank)) return rank;
    }
    return mine_;
  }

  Rank mine_;
  int size_ = 0;
  std::vector<Rank> partners_;  // on the hosts beside
};

}  // namespace llcl
