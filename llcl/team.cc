#include "llcl/team.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "llcl/collective/collectives.h"
#include "llcl/collective/long_schedule.h"
#include "llcl/collective/schedule.h"

namespace llcl {
namespace {

// Nothing is copied to where it lies already.
void Copy(std::span<std::byte> to, std::span<const std::byte> from) {
  if (!from.empty() && to.data() != from.data()) std::memmove(to.data(), from.data(), from.size());
}

// Memory that is only read.
std::span<std::byte> Sent(std::span<const std::byte> memory) {
  return {const_cast<std::byte*>(memory.data()), memory.size()};
}

// A number that all members compute from the same arguments; other teams' hardly ever equals it.
std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15u;
  return a ^ a >> 32;
}

std::uint64_t IdOf(std::uint64_t parent, std::uint64_t number, const std::vector<Rank>& members) {
  std::uint64_t id = Mix(parent, number);
  for (const Rank rank : members) id = Mix(id, static_cast<std::uint64_t>(ToInt(rank)) + 1);
  return id;
}

bool IsLong(std::size_t bytes) { return bytes > kLongPart; }

std::shared_ptr<const Schedule> Shared(Schedule schedule) {
  return std::make_shared<const Schedule>(std::move(schedule));
}

}  // namespace

Team::Team(Collectives& collectives, std::uint64_t id, Rank own, std::vector<Rank> members)
    : collectives_(&collectives),
      id_(id),
      own_(own),
      members_(std::make_shared<const std::vector<Rank>>(std::move(members))) {
  const auto found = std::find(members_->begin(), members_->end(), own_);
  if (found != members_->end()) rank_ = static_cast<int>(found - members_->begin());
  std::vector<int> hosts;
  for (const Rank rank : *members_) hosts.push_back(collectives.HostOf(rank));
  hosts_ = TeamHosts(hosts);
}

Team::Team(Team& parent, std::vector<Rank> members)
    : Team(*parent.collectives_, IdOf(parent.id_, ++parent.made_[members], members), parent.own_,
           members) {}

Team Team::Split(std::span<const int> colors, std::span<const int> keys) {
  if (!IsRank(rank_)) return Team(*this, {});
  std::vector<std::size_t> chosen;
  for (std::size_t rank = 0; rank < members_->size(); ++rank) {
    if (colors[rank] == colors[static_cast<std::size_t>(rank_)]) chosen.push_back(rank);
  }
  if (!keys.empty()) {
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  }
  std::vector<Rank> members;
  for (const std::size_t rank : chosen) members.push_back((*members_)[rank]);
  return Team(*this, std::move(members));
}

Team Team::OfHost() {
  std::vector<int> hosts;
  for (int rank = 0; rank < size(); ++rank) hosts.push_back(static_cast<int>(hosts_.GroupOf(rank)));
  return Split(hosts);
}

Team Team::Leaders() {
  std::vector<Rank> leaders;
  for (const auto& group : hosts_.groups()) leaders.push_back(member(group.front()));
  return Team(*this, std::move(leaders));
}

std::string Team::disagreement() const { return collectives_->DisagreementOf(id_); }

// The schedule of the team's last operation of that kind, if it was the same.
template <typename Make>
const Team::Latest& Team::Short(Kind kind, int root, std::size_t bytes, Make make) {
  Latest& latest = latest_[static_cast<std::size_t>(kind)];
  if (latest.schedule == nullptr || latest.root != root || latest.bytes != bytes) {
    latest = {root, bytes, Shared(make())};
    latest.is_quick = collectives_->IsQuick(*latest.schedule, *members_);
  }
  return latest;
}

Posted Team::TryBegin(Collective collective, Completion then) {
  collective.members = members_;
  collective.then = then;
  // Its completion may begin the next one.
  const Posted begun = collectives_->TryBegin({id_, begun_++}, std::move(collective));
  if (begun != Posted::kPosted) --begun_;
  return begun;
}

Posted Team::TryBarrier(Completion then) {
  if (!IsRank(rank_)) return Posted::kBadRange;
  const Latest& latest = Short(Kind::kBarrier, 0, 0, [&] {
    return hosts_.have_levels() ? HostBarrierSchedule(rank_, hosts_)
                                : BarrierSchedule(rank_, size());
  });
  return TryBegin({.schedule = latest.schedule, .is_quick = latest.is_quick}, then);
}

Posted Team::TryBroadcast(std::span<std::byte> bytes, int root, Completion then) {
  if (!IsRank(rank_) || !IsRank(root)) return Posted::kBadRange;
  const Latest& latest = Short(Kind::kBroadcast, root, bytes.size(), [&] {
    if (hosts_.have_levels()) return HostBroadcastSchedule(rank_, hosts_, root, bytes.size());
    return IsLong(bytes.size()) ? LongBroadcastSchedule(rank_, size(), root, bytes.size())
                                : BroadcastSchedule(rank_, size(), root, bytes.size());
  });
  return TryBegin({.schedule = latest.schedule, .memory = {bytes}, .is_quick = latest.is_quick},
                  then);
}

Posted Team::TryGather(std::span<const std::byte> mine, std::span<std::byte> all, int root,
                       Completion then) {
  const std::size_t bytes = mine.size();
  if (!IsRank(rank_) || !IsRank(root)) return Posted::kBadRange;
  if (rank_ == root && all.size() != bytes * members_->size()) return Posted::kBadRange;
  if (IsLong(bytes)) {
    return TryGatherv(mine, all, std::vector<std::size_t>(members_->size(), bytes), root, then);
  }
  std::vector<std::byte> buffer(bytes * members_->size());
  const auto block = [=, ranks = size()](int rank) {
    return static_cast<std::size_t>(GatherBlock(rank, ranks, root)) * bytes;
  };
  Copy(std::span(buffer).subspan(block(rank_)), mine);
  return TryBegin(
      {.schedule = Shared(GatherSchedule(rank_, size(), root, bytes)),
       .own = std::move(buffer),
       .finish =
           [=, is_root = rank_ == root, ranks = size()](std::span<const std::byte> found) {
             for (int rank = 0; is_root && rank < ranks; ++rank) {
               Copy(all.subspan(static_cast<std::size_t>(rank) * bytes),
                    found.subspan(block(rank), bytes));
             }
           }},
      then);
}

Posted Team::TryGatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                        std::span<const std::size_t> counts, int root, Completion then) {
  if (!IsRank(rank_) || !IsRank(root) || !HasOnePerRank(counts)) return Posted::kBadRange;
  const Blocks blocks(counts);
  const bool is_root = rank_ == root;
  if (mine.size() != blocks.bytes(rank_)) return Posted::kBadRange;
  if (is_root && all.size() != blocks.all()) return Posted::kBadRange;
  if (is_root) Copy(all.subspan(blocks.at(rank_)), mine);
  return TryBegin({.schedule = Shared(LongGatherSchedule(rank_, size(), root, blocks)),
                   .memory = {Sent(mine), is_root ? all : std::span<std::byte>()}},
                  then);
}

Posted Team::TryScatter(std::span<const std::byte> all, std::span<std::byte> mine, int root,
                        Completion then) {
  return TryScatterv(all, std::vector<std::size_t>(members_->size(), mine.size()), mine, root,
                     then);
}

Posted Team::TryScatterv(std::span<const std::byte> all, std::span<const std::size_t> counts,
                         std::span<std::byte> mine, int root, Completion then) {
  if (!IsRank(rank_) || !IsRank(root) || !HasOnePerRank(counts)) return Posted::kBadRange;
  const Blocks blocks(counts);
  const bool is_root = rank_ == root;
  if (mine.size() != blocks.bytes(rank_)) return Posted::kBadRange;
  if (is_root && all.size() != blocks.all()) return Posted::kBadRange;
  if (is_root) Copy(mine, all.subspan(blocks.at(rank_), mine.size()));
  const std::span<std::byte> sent = is_root ? Sent(all) : std::span<std::byte>();
  return TryBegin({.schedule = Shared(LongScatterSchedule(rank_, size(), root, blocks)),
                   .memory = {sent, mine}},
                  then);
}

Posted Team::TryAllgather(std::span<const std::byte> mine, std::span<std::byte> all,
                          Completion then) {
  const std::size_t bytes = mine.size();
  if (!IsRank(rank_) || all.size() != bytes * members_->size()) return Posted::kBadRange;
  if (IsLong(bytes)) {
    return TryAllgatherv(mine, all, std::vector<std::size_t>(members_->size(), bytes), then);
  }
  std::vector<std::byte> buffer(bytes * members_->size());
  Copy(buffer, mine);
  const Latest& latest =
      Short(Kind::kAllgather, 0, bytes, [&] { return AllgatherSchedule(rank_, size(), bytes); });
  return TryBegin({.schedule = latest.schedule,
                   .own = std::move(buffer),
                   .finish =
                       [=, own = rank_, ranks = size()](std::span<const std::byte> found) {
                         for (int rank = 0; rank < ranks; ++rank) {
                           const auto block =
                               static_cast<std::size_t>(AllgatherBlock(rank, own, ranks));
                           Copy(all.subspan(static_cast<std::size_t>(rank) * bytes),
                                found.subspan(block * bytes, bytes));
                         }
                       }},
                  then);
}

Posted Team::TryAllgatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                           std::span<const std::size_t> counts, Completion then) {
  if (!IsRank(rank_) || !HasOnePerRank(counts)) return Posted::kBadRange;
  const Blocks blocks(counts);
  if (mine.size() != blocks.bytes(rank_) || all.size() != blocks.all()) return Posted::kBadRange;
  Copy(all.subspan(blocks.at(rank_)), mine);
  return TryBegin({.schedule = Shared(LongAllgatherSchedule(rank_, size(), blocks)),
                   .memory = {Sent(mine), all}},
                  then);
}

Posted Team::TryAlltoall(std::span<const std::byte> mine, std::span<std::byte> theirs,
                         Completion then) {
  if (!IsRank(rank_) || theirs.size() != mine.size() || mine.size() % members_->size() != 0) {
    return Posted::kBadRange;
  }
  const std::vector<std::size_t> counts(members_->size(), mine.size() / members_->size());
  return TryAlltoallv(mine, counts, theirs, counts, then);
}

Posted Team::TryAlltoallv(std::span<const std::byte> mine, std::span<const std::size_t> send_counts,
                          std::span<std::byte> theirs, std::span<const std::size_t> receive_counts,
                          Completion then) {
  if (!IsRank(rank_) || !HasOnePerRank(send_counts) || !HasOnePerRank(receive_counts)) {
    return Posted::kBadRange;
  }
  const Blocks sent(send_counts), received(receive_counts);
  if (mine.size() != sent.all() || theirs.size() != received.all() ||
      sent.bytes(rank_) != received.bytes(rank_)) {
    return Posted::kBadRange;
  }
  const bool overlap =
      mine.data() < theirs.data() + theirs.size() && theirs.data() < mine.data() + mine.size();
  if (overlap && size() > 1) return Posted::kBadRange;
  Copy(theirs.subspan(received.at(rank_)), mine.subspan(sent.at(rank_), sent.bytes(rank_)));
  return TryBegin({.schedule = Shared(LongAlltoallSchedule(rank_, size(), sent, received)),
                   .memory = {Sent(mine), theirs}},
                  then);
}

Team::Combination Team::CombinationOf(AtomicType type, AtomicOp op) {
  const bool combines = op <= kLastAtomicOp && op != AtomicOp::kSwap &&
                        op != AtomicOp::kCompareSwap && Exists(type, op);
  if (!combines) return {};
  return {[=](std::span<std::byte> to, std::span<const std::byte> first,
              std::span<const std::byte> second) { Combine(type, op, to, first, second); },
          llcl::BytesOf(type), true};
}

Posted Team::TryReduceBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                            Combination combination, int root, Completion then) {
  const bool gets = root == kAll || root == rank_;
  if (!IsRank(rank_) || (root != kAll && !IsRank(root))) return Posted::kBadRange;
  if (!combination.combine) return Posted::kBadRange;
  if (gets && result.size() != mine.size()) return Posted::kBadRange;
  if (IsLong(mine.size())) return TryLongReduce(mine, result, std::move(combination), root, then);
  const Latest& latest = Short(Kind::kReduce, root, mine.size(), [&] {
    if (root == kAll && hosts_.have_levels()) {
      return HostAllreduceSchedule(rank_, hosts_, mine.size());
    }
    return root == kAll ? AllreduceSchedule(rank_, size(), mine.size())
                        : ReduceSchedule(rank_, size(), root, mine.size());
  });
  Collective collective = {.schedule = latest.schedule,
                           .combine = std::move(combination.combine),
                           .unit = combination.unit,
                           .is_own_combine = combination.is_own,
                           .is_quick = latest.is_quick && gets};
  if (gets) {
    Copy(result, mine);
    collective.memory = {result};
  } else {
    collective.own = {mine.begin(), mine.end()};
  }
  return TryBegin(std::move(collective), then);
}

Posted Team::TryLongReduce(std::span<const std::byte> mine, std::span<std::byte> result,
                           Combination combination, int root, Completion then) {
  if (root == kAll && hosts_.have_levels() && hosts_.are_equal()) {
    return TryBegin({.schedule = Shared(
                         LongHostAllreduceSchedule(rank_, hosts_, mine.size(), combination.unit)),
                     .memory = {Sent(mine), result},
                     .combine = std::move(combination.combine),
                     .unit = combination.unit,
                     .is_own_combine = combination.is_own},
                    then);
  }
  const Blocks blocks = Blocks::Even(mine.size(), size(), combination.unit);
  const bool gets = root == kAll || root == rank_;
  Collective collective = {
      .schedule = Shared(root == kAll ? LongAllreduceSchedule(rank_, size(), blocks)
                                      : LongReduceSchedule(rank_, size(), root, blocks)),
      .combine = std::move(combination.combine),
      .unit = combination.unit,
      .is_own_combine = combination.is_own};
  if (gets) {
    if (size() == 1) Copy(result, mine);
    collective.memory = {Sent(mine), result};
  } else {
    collective.own.resize(blocks.bytes(rank_));
    collective.memory = {Sent(mine), {}};
  }
  return TryBegin(std::move(collective), then);
}

Posted Team::TryReduceScatterBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                                   std::span<const std::size_t> counts, Combination combination,
                                   Completion then) {
  if (!IsRank(rank_) || !HasOnePerRank(counts) || !combination.combine) return Posted::kBadRange;
  std::vector<std::size_t> bytes(counts.begin(), counts.end());
  for (std::size_t& count : bytes) {
    const bool is_too_many = count > ~std::size_t{0} / combination.unit;
    count = is_too_many ? ~std::size_t{0} : count * combination.unit;
  }
  const Blocks blocks(bytes);
  if (mine.size() != blocks.all() || result.size() != blocks.bytes(rank_)) {
    return Posted::kBadRange;
  }
  if (size() == 1) Copy(result, mine);
  return TryBegin({.schedule = Shared(ReduceScatterSchedule(rank_, size(), blocks)),
                   .memory = {Sent(mine), result},
                   .combine = std::move(combination.combine),
                   .unit = combination.unit,
                   .is_own_combine = combination.is_own},
                  then);
}

Posted Team::TryScanBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                          Combination combination, Completion then) {
  if (!IsRank(rank_) || !combination.combine || result.size() != mine.size()) {
    return Posted::kBadRange;
  }
  Copy(result, mine);
  return TryBegin({.schedule = Shared(ScanSchedule(rank_, size(), mine.size(), combination.unit)),
                   .memory = {result},
                   .combine = std::move(combination.combine),
                   .unit = combination.unit,
                   .is_own_combine = combination.is_own},
                  then);
}

}  // namespace llcl
