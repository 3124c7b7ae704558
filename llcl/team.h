// Collective operations: those of all ranks of a team together.
//
//   llcl::Flag done;
//   endpoint.world().TryAllreduce<double>(mine, sums, llcl::AtomicOp::kAdd, done.completion());
//   endpoint.Wait(done);
//
// All members begin the same operations of a team in the same order, one thread of
// each at a time; an operation ends on a rank when that rank's part is done. Several
// may be under way, and each owns the memory that it names until it has ended. Blocks are of
// the same size on all ranks.
//
// Threads: a team's functions by one thread at a time; different teams at the same time.
// Order: what came before a rank's part begins happens before what follows the operation's
//   end on each rank that gets data of that rank; for the barrier, on all ranks.
// Errors: Posted::kBadRange for sizes that do not fit; kPeerDown where a member is lost, kLeft
//   where a member has left without its part in the operation; kClosing. Later a member's loss ends
//   the operation with kPeerDown on all others, its leave without its part with kLeft, the
//   endpoint's timeout with kLate; the team cannot be used then. A member that leaves after its
//   part ends nothing: so the endpoint keeps some 60 bytes for each team that it has ever had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/collective/schedule.h"
#include "llcl/completion.h"
#include "llcl/executor/executor.h"
#include "llcl/region.h"

namespace llcl {

class Collectives;

// A resource; the endpoint outlives it.
class Team {
 public:
  // Of these ranks, in this order; all of them are members of `parent`. Each member makes the
  // team, and all make teams of the same ranks in the same order; the members' other operations
  // on `parent` do not matter, so surviving ranks can go on. An empty list: no team.
  Team(Team& parent, std::vector<Rank> members);
  Team(Team&&) = default;
  Team& operator=(Team&&) = default;

  int size() const { return static_cast<int>(members_.size()); }
  // In this team; -1: not a member.
  int rank() const { return rank_; }
  // In the job.
  Rank member(int rank) const { return members_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] Posted TryBarrier(Completion then);
  // Root's bytes, to all.
  [[nodiscard]] Posted TryBroadcast(std::span<std::byte> bytes, int root, Completion then);
  // Every rank's block, by rank, on root. `all` is for root only.
  [[nodiscard]] Posted TryGather(std::span<const std::byte> mine, std::span<std::byte> all,
                                 int root, Completion then);
  // Every rank's block, by rank, on every rank.
  [[nodiscard]] Posted TryAllgather(std::span<const std::byte> mine, std::span<std::byte> all,
                                    Completion then);
  // Sends each rank its block of `mine`; receives each rank's block in `theirs`. By rank.
  [[nodiscard]] Posted TryAlltoall(std::span<const std::byte> mine, std::span<std::byte> theirs,
                                   Completion then);

  // Element by element over all ranks, on root: `result` is for root only. Floats are
  // combined in an order that depends on size and root alone, and is the same for all.
  template <AtomicWord T>
  [[nodiscard]] Posted TryReduce(std::span<const T> mine, std::span<T> result, AtomicOp op,
                                 int root, Completion then) {
    return TryReduceBytes(std::as_bytes(mine), std::as_writable_bytes(result), TypeOf<T>(), op,
                          root, then);
  }
  // TryReduce with the result on every rank.
  template <AtomicWord T>
  [[nodiscard]] Posted TryAllreduce(std::span<const T> mine, std::span<T> result, AtomicOp op,
                                    Completion then) {
    return TryReduceBytes(std::as_bytes(mine), std::as_writable_bytes(result), TypeOf<T>(), op,
                          kAll, then);
  }

 private:
  friend class Endpoint;
  static constexpr int kAll = -1;
  Team(Collectives& collectives, std::uint64_t id, Rank own, std::vector<Rank> members);

  using Finish = std::function<void(std::span<const std::byte> buffer)>;
  Posted TryBegin(Schedule schedule, std::vector<std::byte> buffer, Finish finish, Completion then,
                  AtomicType type = AtomicType::kU64, AtomicOp op = AtomicOp::kAdd);
  Posted TryReduceBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                        AtomicType type, AtomicOp op, int root, Completion then);
  bool IsRank(int rank) const { return rank >= 0 && rank < size(); }

  Collectives* collectives_;
  std::uint64_t id_;  // equal on all members, unlike that of any other team of theirs
  Rank own_;
  int rank_ = -1;
  std::vector<Rank> members_;
  std::uint32_t begun_ = 0;                          // operations
  std::map<std::vector<Rank>, std::uint64_t> made_;  // how many teams of these ranks
};

}  // namespace llcl
