// Schedules of long operations. Each sends as few bytes as the operation needs, and no rank
// overwrites bytes that another rank may still read. schedule.h explains schedules.
//
// A long operation works on the program's memory, without copies. The buffer of a schedule is the
// memory that is sent, and behind it the memory of the result. The caller of a schedule that
// gathers blocks copies the rank's own block. The caller of one that combines copies the values in
// a team of one rank alone.
//
// For p ranks and n bytes on each, a rank receives
//
//   broadcast       n, of one rank; above 1 MiB from rank to rank in a chain, by segments
//   allgather       (p - 1) blocks, from its neighbor in a ring
//   reduce-scatter  (p - 1) times its block, of each rank
//   allreduce       2 n (p - 1) / p: a reduce-scatter and an allgather (Rabenseifner's)
//   reduce          the reduce-scatter's; on root the other ranks' blocks, too
//   alltoall, gather, scatter  its blocks, of at most kWindow ranks at a time
//   scan            n, from the rank before it, by segments
//
// Pure. Errors: none; `rank` and `root` are in [0, size).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "llcl/collective/schedule.h"

namespace llcl {

// Where blocks of a buffer begin, by rank, and where the last one ends. A value.
class Blocks {
 public:
  // `counts`: the bytes of each block; one behind the other. Of more bytes than there are addresses
  // all() is the largest number.
  explicit Blocks(std::span<const std::size_t> counts);
  // As many as there are ranks, of whole units, which differ by one unit at most.
  static Blocks Even(std::size_t bytes, int ranks, std::size_t unit);

  std::size_t at(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
  std::size_t bytes(int rank) const { return at(rank + 1) - at(rank); }
  std::size_t all() const { return begins_.back(); }

 private:
  Blocks() = default;
  std::vector<std::size_t> begins_;
};

// Receipts of one round at most, of long gathers and of alltoall.
inline constexpr int kWindow = 8;
// A part that is passed on in a chain, but for less than a unit.
inline constexpr std::size_t kSegment = 256 << 10;

// The buffer: the bytes.
Schedule LongBroadcastSchedule(int rank, int size, int root, std::size_t bytes);

// The buffer: the rank's own block, which nobody reads there, and the blocks of all, of which its
// own is filled.
Schedule LongAllgatherSchedule(int rank, int size, const Blocks& blocks);

// The buffer: the rank's own block, and on root the blocks of all, of which its own is filled.
Schedule LongGatherSchedule(int rank, int size, int root, const Blocks& blocks);
// The buffer: on root the blocks for all, and the rank's own block, which on root is filled.
Schedule LongScatterSchedule(int rank, int size, int root, const Blocks& blocks);

// The buffer: blocks for each rank, then blocks from each rank, of which its own is filled.
Schedule LongAlltoallSchedule(int rank, int size, const Blocks& sent, const Blocks& received);

// The buffer: values of all blocks, and the combination of the rank's own block.
Schedule ReduceScatterSchedule(int rank, int size, const Blocks& blocks);
// The buffer: values of all blocks, and their combinations.
Schedule LongAllreduceSchedule(int rank, int size, const Blocks& blocks);
// The buffer: values of all blocks, and on root their combinations, else the combination of the
// rank's own block.
Schedule LongReduceSchedule(int rank, int size, int root, const Blocks& blocks);

// Adds rounds to a schedule, in which the rank at `position` of `ranks` takes part with the others.
// An allgather in a ring: the blocks, by position, begin at `base`.
void AddRing(Schedule& schedule, int position, std::span<const int> ranks, const Blocks& blocks,
             std::size_t base);
// A reduce-scatter: the values begin at `values`, and the own block of the result at `result`,
// which may be the block's place among the values.
void AddReduceScatter(Schedule& schedule, int position, std::span<const int> ranks,
                      const Blocks& blocks, std::size_t values, std::size_t result);

// The buffer: the rank's own values; in the end their combination with those of all ranks before
// it.
Schedule ScanSchedule(int rank, int size, std::size_t bytes, std::size_t unit);

}  // namespace llcl
