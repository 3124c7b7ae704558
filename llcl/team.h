// Collective operations: those of all ranks of a team together.
//
//   llcl::Flag done;
//   endpoint.world().TryAllreduce<double>(mine, sums, llcl::AtomicOp::kAdd, done.completion());
//   endpoint.Wait(done);
//
// All members begin the same operations of a team in the same order, one thread of
// each at a time; an operation ends on a rank when that rank's part is done. Several
// may be under way, and each owns the memory that it names until it has ended. Where blocks may
// differ, each rank says how long each is that it sends or receives; else they are of the same size
// on all ranks. A block of the rank's own may lie in its place in the result already.
//
// Long operations work on the caller's memory, and copy no byte more often than the ranks of a host
// have to; other hosts read it. After kLate the network may still use the memory until the
// endpoint ends, as after a read that is late.
//
// Threads: a team's functions by one thread at a time; different teams at the same time.
// Order: what came before a rank's part begins happens before what follows the operation's
//   end on each rank that gets data of that rank; for the barrier, on all ranks.
// Errors: Posted::kBadRange for sizes that do not fit; kTooLong where memory cannot be registered;
//   kPeerDown where a member is lost, kLeft where a member has left without its part in the
//   operation; kClosing. Later a member's loss ends the operation with kPeerDown on all others, its
//   leave without its part with kLeft, the endpoint's timeout with kLate, and operations or sizes
//   that do not fit those of another member with kDisagreement; the team cannot be used then. A
//   member that leaves after its part ends nothing: so the endpoint keeps some 60 bytes for each
//   team that it has ever had.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/collective/host_schedule.h"
#include "llcl/collective/schedule.h"
#include "llcl/completion.h"
#include "llcl/executor/executor.h"
#include "llcl/region.h"

namespace llcl {

class Collectives;
struct Collective;

// A type of elements that ranks combine by an operation of the program's own, as op(T, T) -> T: it
// is associative and commutative, and the same on all ranks. Any thread calls it.
template <typename Op, typename T>
concept CombinesElements = std::is_trivially_copyable_v<T> && sizeof(T) <= 1024 &&
                           std::is_invocable_r_v<T, const Op&, const T&, const T&>;

// A resource; the endpoint outlives it.
class Team {
 public:
  // Of these ranks, in this order; all of them are members of `parent`. Each member makes the
  // team, and all make teams of the same ranks in the same order; the members' other operations
  // on `parent` do not matter, so surviving ranks can go on. An empty list: no team.
  Team(Team& parent, std::vector<Rank> members);
  Team(Team&&) = default;
  Team& operator=(Team&&) = default;

  // The members whose color is this rank's, by key, and then by rank in this team; no key: by rank.
  // Preconditions: as many as there are members, the same on all ranks.
  Team Split(std::span<const int> colors, std::span<const int> keys = {});
  // The members on this rank's host: those that share memory with it.
  Team OfHost();
  // The first member of each host. All members make it; the others' rank in it is -1.
  Team Leaders();

  int size() const { return static_cast<int>(members_->size()); }
  // In this team; -1: not a member.
  int rank() const { return rank_; }
  // In the job.
  Rank member(int rank) const { return (*members_)[static_cast<std::size_t>(rank)]; }
  // After kDisagreement: the ranks and the sizes that do not fit, as a sentence.
  std::string disagreement() const;

  [[nodiscard]] Posted TryBarrier(Completion then);
  // Root's bytes, to all.
  [[nodiscard]] Posted TryBroadcast(std::span<std::byte> bytes, int root, Completion then);

  // Every rank's block, by rank, on root. `all` is for root only.
  [[nodiscard]] Posted TryGather(std::span<const std::byte> mine, std::span<std::byte> all,
                                 int root, Completion then);
  // `counts`: the bytes of each block, the same on all ranks.
  [[nodiscard]] Posted TryGatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                                  std::span<const std::size_t> counts, int root, Completion then);
  // Root's blocks, to each rank its own. `all` is for root only.
  [[nodiscard]] Posted TryScatter(std::span<const std::byte> all, std::span<std::byte> mine,
                                  int root, Completion then);
  [[nodiscard]] Posted TryScatterv(std::span<const std::byte> all,
                                   std::span<const std::size_t> counts, std::span<std::byte> mine,
                                   int root, Completion then);

  // Every rank's block, by rank, on every rank.
  [[nodiscard]] Posted TryAllgather(std::span<const std::byte> mine, std::span<std::byte> all,
                                    Completion then);
  [[nodiscard]] Posted TryAllgatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                                     std::span<const std::size_t> counts, Completion then);
  // Sends each rank its block of `mine`; receives each rank's block in `theirs`, which does not
  // overlap. By rank.
  [[nodiscard]] Posted TryAlltoall(std::span<const std::byte> mine, std::span<std::byte> theirs,
                                   Completion then);
  // The bytes for each rank, and from each: what a rank sends to another, that one receives.
  [[nodiscard]] Posted TryAlltoallv(std::span<const std::byte> mine,
                                    std::span<const std::size_t> send_counts,
                                    std::span<std::byte> theirs,
                                    std::span<const std::size_t> receive_counts, Completion then);

  // Element by element over all ranks, on root: `result` is for root only. Floats are
  // combined in an order that depends on the sizes and root alone, and is the same for all.
  template <AtomicWord T>
  [[nodiscard]] Posted TryReduce(std::span<const T> mine, std::span<T> result, AtomicOp op,
                                 int root, Completion then) {
    return TryReduceBytes(BytesOf(mine), BytesOf(result), Of<T>(op), root, then);
  }
  // TryReduce with the result on every rank.
  template <AtomicWord T>
  [[nodiscard]] Posted TryAllreduce(std::span<const T> mine, std::span<T> result, AtomicOp op,
                                    Completion then) {
    return TryReduceBytes(BytesOf(mine), BytesOf(result), Of<T>(op), kAll, then);
  }
  // Each rank gets its block of TryReduce's result. `counts`: the elements of each block, the same
  // on all ranks.
  template <AtomicWord T>
  [[nodiscard]] Posted TryReduceScatter(std::span<const T> mine, std::span<T> result,
                                        std::span<const std::size_t> counts, AtomicOp op,
                                        Completion then) {
    return TryReduceScatterBytes(BytesOf(mine), BytesOf(result), counts, Of<T>(op), then);
  }
  // The combination of the ranks up to this one.
  template <AtomicWord T>
  [[nodiscard]] Posted TryScan(std::span<const T> mine, std::span<T> result, AtomicOp op,
                               Completion then) {
    return TryScanBytes(BytesOf(mine), BytesOf(result), Of<T>(op), then);
  }

  // The same by an operation of the program's own.
  template <typename T, CombinesElements<T> Op>
  [[nodiscard]] Posted TryReduce(std::span<const T> mine, std::span<T> result, Op op, int root,
                                 Completion then) {
    return TryReduceBytes(BytesOf(mine), BytesOf(result), Of<T>(std::move(op)), root, then);
  }
  template <typename T, CombinesElements<T> Op>
  [[nodiscard]] Posted TryAllreduce(std::span<const T> mine, std::span<T> result, Op op,
                                    Completion then) {
    return TryReduceBytes(BytesOf(mine), BytesOf(result), Of<T>(std::move(op)), kAll, then);
  }
  template <typename T, CombinesElements<T> Op>
  [[nodiscard]] Posted TryReduceScatter(std::span<const T> mine, std::span<T> result,
                                        std::span<const std::size_t> counts, Op op,
                                        Completion then) {
    return TryReduceScatterBytes(BytesOf(mine), BytesOf(result), counts, Of<T>(std::move(op)),
                                 then);
  }
  template <typename T, CombinesElements<T> Op>
  [[nodiscard]] Posted TryScan(std::span<const T> mine, std::span<T> result, Op op,
                               Completion then) {
    return TryScanBytes(BytesOf(mine), BytesOf(result), Of<T>(std::move(op)), then);
  }

 private:
  friend class AggregatorCore;
  friend class Endpoint;
  using Members = std::shared_ptr<const std::vector<Rank>>;
  static constexpr int kAll = -1;
  Team(Collectives& collectives, std::uint64_t id, Rank own, std::vector<Rank> members);

  // How elements are combined. `combine` is empty where the type has no such operation. A value.
  struct Combination {
    std::function<void(std::span<std::byte> to, std::span<const std::byte> first,
                       std::span<const std::byte> second)>
        combine;
    std::size_t unit = 8;  // bytes of an element
    bool is_own = false;   // the library's, not the program's
  };
  static Combination CombinationOf(AtomicType type, AtomicOp op);
  template <AtomicWord T>
  static Combination Of(AtomicOp op) {
    return CombinationOf(TypeOf<T>(), op);
  }
  template <typename T, CombinesElements<T> Op>
  static Combination Of(Op op) {
    return {[op = std::move(op)](std::span<std::byte> to, std::span<const std::byte> first,
                                 std::span<const std::byte> second) {
              for (std::size_t at = 0; at + sizeof(T) <= to.size(); at += sizeof(T)) {
                T a, b;
                std::memcpy(&a, first.data() + at, sizeof a);
                std::memcpy(&b, second.data() + at, sizeof b);
                a = op(a, b);
                std::memcpy(to.data() + at, &a, sizeof a);
              }
            },
            sizeof(T), false};
  }
  template <typename T>
  static std::span<const std::byte> BytesOf(std::span<const T> values) {
    return std::as_bytes(values);
  }
  template <typename T>
  static std::span<std::byte> BytesOf(std::span<T> values) {
    return std::as_writable_bytes(values);
  }

  enum class Kind : std::uint8_t { kBarrier, kBroadcast, kAllgather, kReduce };
  struct Latest {
    int root = 0;
    std::size_t bytes = 0;
    std::shared_ptr<const Schedule> schedule;
    bool is_quick = false;
  };
  template <typename Make>
  const Latest& Short(Kind kind, int root, std::size_t bytes, Make make);
  Posted TryBegin(Collective collective, Completion then);
  Posted TryReduceBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                        Combination combination, int root, Completion then);
  Posted TryReduceScatterBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                               std::span<const std::size_t> counts, Combination combination,
                               Completion then);
  Posted TryScanBytes(std::span<const std::byte> mine, std::span<std::byte> result,
                      Combination combination, Completion then);
  Posted TryLongReduce(std::span<const std::byte> mine, std::span<std::byte> result,
                       Combination combination, int root, Completion then);
  bool IsRank(int rank) const { return rank >= 0 && rank < size(); }
  bool HasOnePerRank(std::span<const std::size_t> counts) const {
    return counts.size() == members_->size();
  }

  Collectives* collectives_;
  std::uint64_t id_;  // equal on all members, unlike that of any other team of theirs
  Rank own_;
  int rank_ = -1;
  Members members_;
  std::uint32_t begun_ = 0;       // operations
  std::array<Latest, 4> latest_;  // by kind
  TeamHosts hosts_;
  std::map<std::vector<Rank>, std::uint64_t> made_;  // how many teams of these ranks
};

}  // namespace llcl
