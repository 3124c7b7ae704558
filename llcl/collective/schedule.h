// Collective operations as schedules: what each rank sends and receives, round by
// round. All decisions are here, and tests of them need no network.
//
// A schedule works on a buffer of its rank. In each round the rank first sends parts of
// the buffer, then receives from others, into the buffer or combined with its contents;
// the next round begins when all of that has come. Rounds are numbered alike on all
// ranks: a message that is sent in round r is received in round r.
//
// The algorithms are the usual ones: dissemination (barrier), binomial trees
// (broadcast, reduce, gather), recursive doubling (allreduce), Bruck's (allgather), shifts
// (alltoall). Rounds, for p ranks: ceil(log2 p), for allreduce up to two more; p - 1 for alltoall.
// They are for short operations; long_schedule.h has those for long ones.
//
// Errors: none; `rank` and `root` are in [0, size).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace llcl {

// A value: bytes [at, at + bytes) of the buffer.
struct Part {
  int peer = 0;
  std::size_t at = 0, bytes = 0;
  bool combines = false;     // a receipt: combined with the buffer's contents
  bool comes_first = false;  // then: the first operand is the received one
  // Then: the place of the other operand, where that is not `at`. The combination goes to `at`,
  // whose old bytes are not read.
  std::optional<std::size_t> operand = {};
  friend bool operator==(const Part&, const Part&) = default;
};

// A value. At most one of each from or to a peer.
struct Round {
  std::vector<Part> sends, receipts;
};

// A value.
struct Schedule {
  std::size_t buffer_bytes = 0;
  std::vector<Round> rounds;
  // A receipt may change bytes that a send of the same round or of one before has named: the
  // receipt waits until these are sent.
  bool overwrites = false;
};

Schedule BarrierSchedule(int rank, int size);

// The buffer: the bytes.
Schedule BroadcastSchedule(int rank, int size, int root, std::size_t bytes);

// The buffer: the rank's own values, on root in the end the combination of all. Always
// combined in the same order.
Schedule ReduceSchedule(int rank, int size, int root, std::size_t bytes);
// ReduceSchedule with the result on every rank, which is the same in every bit where the
// combination is commutative.
Schedule AllreduceSchedule(int rank, int size, std::size_t bytes);

// The buffer: a block of `bytes` for each rank; the rank's own is at OwnBlock, in the
// end rank r's on root at BlockOf(r).
Schedule GatherSchedule(int rank, int size, int root, std::size_t bytes);
constexpr int GatherBlock(int rank, int size, int root) { return (rank - root + size) % size; }

// The buffer: a block for each rank; the rank's own is the first; in the end rank r's
// is at AllgatherBlock.
Schedule AllgatherSchedule(int rank, int size, std::size_t bytes);
constexpr int AllgatherBlock(int of, int rank, int size) { return (of - rank + size) % size; }

// The buffer: blocks for each rank, then blocks from each rank, of which the own is
// not filled.
Schedule AlltoallSchedule(int rank, int size, std::size_t bytes);

}  // namespace llcl
