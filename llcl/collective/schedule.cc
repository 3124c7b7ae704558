#include "llcl/collective/schedule.h"

#include <algorithm>
#include <bit>

namespace llcl {
namespace {

// How many rounds double 1 to at least `size`.
int Doublings(int size) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)));
}

Round& RoundOf(Schedule& schedule, int round) {
  return schedule.rounds[static_cast<std::size_t>(round)];
}

Schedule OfRounds(int rounds, std::size_t buffer_bytes) {
  return {.buffer_bytes = buffer_bytes,
          .rounds = std::vector<Round>(static_cast<std::size_t>(rounds)),
          .overwrites = false};
}

// Adds a broadcast after the rounds that there are. In round k, those that have the
// bytes, which are the first 2^k counted from the root, send them on to 2^k others.
void AddBroadcast(Schedule& schedule, int rank, int size, int root, std::size_t bytes) {
  const int place = (rank - root + size) % size;
  for (int k = 0; k < Doublings(size); ++k) {
    Round& round = schedule.rounds.emplace_back();
    const int stride = 1 << k;
    const auto rank_of = [&](int at) { return (at + root) % size; };
    if (place < stride && place + stride < size) {
      round.sends.push_back({.peer = rank_of(place + stride), .bytes = bytes});
    } else if (place >= stride && place < 2 * stride) {
      round.receipts.push_back({.peer = rank_of(place - stride), .bytes = bytes});
    }
  }
}

}  // namespace

Schedule BarrierSchedule(int rank, int size) {
  Schedule schedule = OfRounds(Doublings(size), 0);
  for (int k = 0; k < Doublings(size); ++k) {
    const int stride = 1 << k;
    RoundOf(schedule, k).sends.push_back({.peer = (rank + stride) % size});
    RoundOf(schedule, k).receipts.push_back({.peer = (rank - stride % size + size) % size});
  }
  return schedule;
}

Schedule BroadcastSchedule(int rank, int size, int root, std::size_t bytes) {
  Schedule schedule = OfRounds(0, bytes);
  AddBroadcast(schedule, rank, size, root, bytes);
  return schedule;
}

Schedule ReduceSchedule(int rank, int size, int root, std::size_t bytes) {
  Schedule schedule = OfRounds(Doublings(size), bytes);
  schedule.overwrites = true;
  const int place = (rank - root + size) % size;
  for (int k = 0; k < Doublings(size); ++k) {
    const int stride = 1 << k;
    if ((place & stride) != 0) {
      RoundOf(schedule, k)
          .sends.push_back({.peer = (place - stride + root) % size, .bytes = bytes});
      break;
    }
    if (place + stride < size) {
      RoundOf(schedule, k)
          .receipts.push_back(
              {.peer = (place + stride + root) % size, .bytes = bytes, .combines = true});
    }
  }
  return schedule;
}

// Of 2^k ranks each exchanges with the rank that differs in one bit, round by round. The ranks
// beyond give theirs to a rank below before, and get the result from it.
Schedule AllreduceSchedule(int rank, int size, std::size_t bytes) {
  const int doubled = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int beyond = size - doubled;
  Schedule schedule = {.buffer_bytes = bytes, .rounds = {}, .overwrites = true};
  const auto exchange = [&](int peer, bool sends, bool receives, bool combines) {
    Round& round = schedule.rounds.emplace_back();
    if (sends) round.sends.push_back({.peer = peer, .bytes = bytes});
    if (!receives) return;
    // Both ranks of a pair have the operands in the same order.
    round.receipts.push_back(
        {.peer = peer, .bytes = bytes, .combines = combines, .comes_first = peer < rank});
  };
  if (beyond > 0) {
    if (rank >= doubled) {
      exchange(rank - doubled, true, false, false);
    } else {
      exchange(rank + doubled, false, rank < beyond, true);
    }
  }
  for (int stride = 1; stride < doubled; stride *= 2) {
    exchange(rank ^ stride, rank < doubled, rank < doubled, true);
  }
  if (beyond > 0) {
    if (rank >= doubled) {
      exchange(rank - doubled, false, true, false);
    } else {
      exchange(rank + doubled, rank < beyond, false, false);
    }
  }
  return schedule;
}

Schedule GatherSchedule(int rank, int size, int root, std::size_t bytes) {
  Schedule schedule = OfRounds(Doublings(size), static_cast<std::size_t>(size) * bytes);
  const int place = GatherBlock(rank, size, root);
  // The blocks that the subtree of 2^k places from `first` on holds.
  const auto blocks = [&](int peer, int first, int k) {
    const int count = std::min(1 << k, size - first);
    return Part{.peer = (peer + root) % size,
                .at = static_cast<std::size_t>(first) * bytes,
                .bytes = static_cast<std::size_t>(count) * bytes};
  };
  for (int k = 0; k < Doublings(size); ++k) {
    const int stride = 1 << k;
    if ((place & stride) != 0) {
      RoundOf(schedule, k).sends.push_back(blocks(place - stride, place, k));
      break;
    }
    if (place + stride < size) {
      RoundOf(schedule, k).receipts.push_back(blocks(place + stride, place + stride, k));
    }
  }
  return schedule;
}

Schedule AllgatherSchedule(int rank, int size, std::size_t bytes) {
  Schedule schedule = OfRounds(Doublings(size), static_cast<std::size_t>(size) * bytes);
  for (int k = 0; k < Doublings(size); ++k) {
    const int stride = 1 << k;  // The first 2^k blocks are there.
    const std::size_t moved = static_cast<std::size_t>(std::min(stride, size - stride)) * bytes;
    RoundOf(schedule, k)
        .sends.push_back({.peer = (rank - stride + size) % size, .at = 0, .bytes = moved});
    RoundOf(schedule, k)
        .receipts.push_back({.peer = (rank + stride) % size,
                             .at = static_cast<std::size_t>(stride) * bytes,
                             .bytes = moved});
  }
  return schedule;
}

Schedule AlltoallSchedule(int rank, int size, std::size_t bytes) {
  const auto block = [&](int index) { return static_cast<std::size_t>(index) * bytes; };
  Schedule schedule = OfRounds(size - 1, 2 * block(size));
  for (int shift = 1; shift < size; ++shift) {
    const int to = (rank + shift) % size, from = (rank - shift + size) % size;
    RoundOf(schedule, shift - 1).sends.push_back({.peer = to, .at = block(to), .bytes = bytes});
    RoundOf(schedule, shift - 1)
        .receipts.push_back({.peer = from, .at = block(size) + block(from), .bytes = bytes});
  }
  return schedule;
}

}  // namespace llcl
