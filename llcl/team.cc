#include "llcl/team.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "llcl/collective/collectives.h"
#include "llcl/collective/schedule.h"

namespace llcl {
namespace {

void Copy(std::span<std::byte> to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
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

}  // namespace

Team::Team(Collectives& collectives, std::uint64_t id, Rank own, std::vector<Rank> members)
    : collectives_(&collectives), id_(id), own_(own), members_(std::move(members)) {
  const auto found = std::find(members_.begin(), members_.end(), own_);
  if (found != members_.end()) rank_ = static_cast<int>(found - members_.begin());
}

Team::Team(Team& parent, std::vector<Rank> members)
    : Team(*parent.collectives_, IdOf(parent.id_, ++parent.made_[members], members), parent.own_,
           members) {}

Posted Team::TryBegin(Schedule schedule, std::vector<std::byte> buffer, Finish finish,
                      Completion then, AtomicType type, AtomicOp op) {
  Collective collective = {.schedule = std::move(schedule),
                           .buffer = std::move(buffer),
                           .members = members_,
                           .type = type,
                           .op = op,
                           .finish = std::move(finish),
                           .then = then};
  collective.buffer.resize(collective.schedule.buffer_bytes);
  const Posted begun = collectives_->TryBegin({id_, begun_}, std::move(collective));
  if (begun == Posted::kPosted) ++begun_;
  return begun;
}

Posted Team::TryBarrier(Completion then) {
  if (!IsRank(rank_)) return Posted::kBadRange;
  return TryBegin(BarrierSchedule(rank_, size()), {}, nullptr, then);
}

Posted Team::TryBroadcast(std::span<std::byte> bytes, int root, Completion then) {
  if (!IsRank(rank_) || !IsRank(root)) return Posted::kBadRange;
  return TryBegin(
      BroadcastSchedule(rank_, size(), root, bytes.size()), {bytes.begin(), bytes.end()},
      [bytes](std::span<const std::byte> buffer) { Copy(bytes, buffer); }, then);
}

Posted Team::TryGather(std::span<const std::byte> mine, std::span<std::byte> all, int root,
                       Completion then) {
  const std::size_t bytes = mine.size();
  if (!IsRank(rank_) || !IsRank(root)) return Posted::kBadRange;
  if (rank_ == root && all.size() != bytes * members_.size()) return Posted::kBadRange;
  std::vector<std::byte> buffer(bytes * members_.size());
  const auto block = [=, ranks = size()](int rank) {
    return static_cast<std::size_t>(GatherBlock(rank, ranks, root)) * bytes;
  };
  Copy(std::span(buffer).subspan(block(rank_)), mine);
  return TryBegin(
      GatherSchedule(rank_, size(), root, bytes), std::move(buffer),
      [=, is_root = rank_ == root, ranks = size()](std::span<const std::byte> found) {
        for (int rank = 0; is_root && rank < ranks; ++rank) {
          Copy(all.subspan(static_cast<std::size_t>(rank) * bytes),
               found.subspan(block(rank), bytes));
        }
      },
      then);
}

Posted Team::TryAllgather(std::span<const std::byte> mine, std::span<std::byte> all,
                          Completion then) {
  const std::size_t bytes = mine.size();
  if (!IsRank(rank_) || all.size() != bytes * members_.size()) return Posted::kBadRange;
  return TryBegin(
      AllgatherSchedule(rank_, size(), bytes), {mine.begin(), mine.end()},
      [=, own = rank_, ranks = size()](std::span<const std::byte> found) {
        for (int rank = 0; rank < ranks; ++rank) {
          const auto block = static_cast<std::size_t>(AllgatherBlock(rank, own, ranks));
          Copy(all.subspan(static_cast<std::size_t>(rank) * bytes),
               found.subspan(block * bytes, bytes));
        }
      },
      then);
}

Posted Team::TryAlltoall(std::span<const std::byte> mine, std::span<std::byte> theirs,
                         Completion then) {
  if (!IsRank(rank_) || theirs.size() != mine.size() || mine.size() % members_.size() != 0) {
    return Posted::kBadRange;
  }
  const std::size_t bytes = mine.size() / members_.size();
  std::vector<std::byte> buffer(mine.begin(), mine.end());
  buffer.insert(buffer.end(), mine.begin(), mine.end());  // The second half: its own block stays.
  return TryBegin(
      AlltoallSchedule(rank_, size(), bytes), std::move(buffer),
      [theirs](std::span<const std::byte> found) {
        Copy(theirs, found.subspan(theirs.size(), theirs.size()));
      },
      then);
}

Posted Team::TryReduceBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                            AtomicType type, AtomicOp op, int root, Completion then) {
  const bool gets = root == kAll || root == rank_;
  const bool combines = op != AtomicOp::kSwap && op != AtomicOp::kCompareSwap && Exists(type, op);
  if (!IsRank(rank_) || (root != kAll && !IsRank(root)) || !combines) return Posted::kBadRange;
  if (gets && result.size() != mine.size()) return Posted::kBadRange;
  return TryBegin(
      root == kAll ? AllreduceSchedule(rank_, size(), mine.size())
                   : ReduceSchedule(rank_, size(), root, mine.size()),
      {mine.begin(), mine.end()},
      [=](std::span<const std::byte> buffer) {
        if (gets) Copy(result, buffer);
      },
      then, type, op);
}

}  // namespace llcl
