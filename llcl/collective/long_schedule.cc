#include "llcl/collective/long_schedule.h"

#include <algorithm>
#include <numeric>

namespace llcl {
namespace {

constexpr std::size_t kChained = 1 << 20;  // from so many bytes on

std::size_t SegmentsOf(std::size_t bytes, std::size_t segment) {
  return std::max<std::size_t>(1, (bytes + segment - 1) / segment);
}

Part SegmentOf(int peer, std::size_t bytes, std::size_t segment, std::size_t number) {
  const std::size_t at = number * segment;
  return {.peer = peer, .at = at, .bytes = std::min(segment, bytes - at)};
}

Round& RoundAt(Schedule& schedule, std::size_t round) {
  if (schedule.rounds.size() <= round) schedule.rounds.resize(round + 1);
  return schedule.rounds[round];
}

std::vector<int> AllRanks(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

Blocks::Blocks(std::span<const std::size_t> counts) {
  begins_.reserve(counts.size() + 1);
  begins_.push_back(0);
  for (const std::size_t count : counts) {
    const std::size_t sum = begins_.back() + count;
    begins_.push_back(sum < count ? ~std::size_t{0} : sum);
  }
}

Blocks Blocks::Even(std::size_t bytes, int ranks, std::size_t unit) {
  const auto count = static_cast<std::size_t>(ranks);
  const std::size_t units = bytes / unit, each = units / count, more = units % count;
  Blocks blocks;
  blocks.begins_.push_back(0);
  for (std::size_t rank = 0; rank < count; ++rank) {
    blocks.begins_.push_back(blocks.begins_.back() + (each + (rank < more ? 1 : 0)) * unit);
  }
  return blocks;
}

void AddRing(Schedule& schedule, int position, std::span<const int> ranks, const Blocks& blocks,
             std::size_t base) {
  const int size = static_cast<int>(ranks.size());
  const auto peer = [&](int at) { return ranks[static_cast<std::size_t>((at + size) % size)]; };
  for (int round = 0; round + 1 < size; ++round) {
    Round& now = schedule.rounds.emplace_back();
    const int sent = (position - round + size) % size, received = (sent - 1 + size) % size;
    now.sends.push_back(
        {.peer = peer(position + 1), .at = base + blocks.at(sent), .bytes = blocks.bytes(sent)});
    now.receipts.push_back({.peer = peer(position - 1),
                            .at = base + blocks.at(received),
                            .bytes = blocks.bytes(received)});
  }
}

void AddReduceScatter(Schedule& schedule, int position, std::span<const int> ranks,
                      const Blocks& blocks, std::size_t values, std::size_t result) {
  const int size = static_cast<int>(ranks.size());
  const auto peer = [&](int at) { return ranks[static_cast<std::size_t>(at)]; };
  for (int shift = 1; shift < size; ++shift) {
    const int to = (position - shift + size) % size, from = (position + shift) % size;
    // Of each block the ranks behind its own come in their order: so floats do.
    Round& now = schedule.rounds.emplace_back();
    now.sends.push_back(
        {.peer = peer(to), .at = values + blocks.at(to), .bytes = blocks.bytes(to)});
    now.receipts.push_back(
        {.peer = peer(from), .at = result, .bytes = blocks.bytes(position), .combines = true});
    const std::size_t own = values + blocks.at(position);
    if (shift == 1 && own != result) now.receipts.back().operand = own;
  }
}

Schedule LongBroadcastSchedule(int rank, int size, int root, std::size_t bytes) {
  if (size <= 2 || bytes < kChained) return BroadcastSchedule(rank, size, root, bytes);
  Schedule schedule = {.buffer_bytes = bytes};
  const int place = (rank - root + size) % size;
  const int before = (rank - 1 + size) % size, next = (rank + 1) % size;
  for (std::size_t number = 0; number < SegmentsOf(bytes, kSegment); ++number) {
    // The rank at place i receives a segment in round number + i - 1, and sends it in the next.
    const std::size_t round = number + static_cast<std::size_t>(place);
    if (place > 0) {
      RoundAt(schedule, round - 1).receipts.push_back(SegmentOf(before, bytes, kSegment, number));
    }
    if (place + 1 < size)
      RoundAt(schedule, round).sends.push_back(SegmentOf(next, bytes, kSegment, number));
  }
  return schedule;
}

Schedule LongAllgatherSchedule(int rank, int size, const Blocks& blocks) {
  Schedule schedule = {.buffer_bytes = blocks.bytes(rank) + blocks.all()};
  AddRing(schedule, rank, AllRanks(size), blocks, blocks.bytes(rank));
  return schedule;
}

Schedule LongGatherSchedule(int rank, int size, int root, const Blocks& blocks) {
  const bool is_root = rank == root;
  Schedule schedule = {.buffer_bytes = blocks.bytes(rank) + (is_root ? blocks.all() : 0)};
  for (int shift = 1; shift < size; ++shift) {
    const int peer = (root + shift) % size;
    const auto round = static_cast<std::size_t>((shift - 1) / kWindow);
    if (peer == rank) {
      RoundAt(schedule, round).sends.push_back({.peer = root, .bytes = blocks.bytes(rank)});
    } else if (is_root) {
      RoundAt(schedule, round)
          .receipts.push_back({.peer = peer,
                               .at = blocks.bytes(rank) + blocks.at(peer),
                               .bytes = blocks.bytes(peer)});
    }
  }
  return schedule;
}

Schedule LongScatterSchedule(int rank, int size, int root, const Blocks& blocks) {
  const std::size_t own = rank == root ? blocks.all() : 0;
  Schedule schedule = {.buffer_bytes = own + blocks.bytes(rank)};
  for (int shift = 1; shift < size; ++shift) {
    const int peer = (root + shift) % size;
    if (rank == root) {
      RoundAt(schedule, 0)
          .sends.push_back({.peer = peer, .at = blocks.at(peer), .bytes = blocks.bytes(peer)});
    } else if (peer == rank) {
      RoundAt(schedule, 0).receipts.push_back({.peer = root, .bytes = blocks.bytes(rank)});
    }
  }
  return schedule;
}

Schedule LongAlltoallSchedule(int rank, int size, const Blocks& sent, const Blocks& received) {
  Schedule schedule = {.buffer_bytes = sent.all() + received.all()};
  for (int shift = 1; shift < size; ++shift) {
    const int to = (rank + shift) % size, from = (rank - shift + size) % size;
    const auto round = static_cast<std::size_t>((shift - 1) / kWindow);
    RoundAt(schedule, round)
        .sends.push_back({.peer = to, .at = sent.at(to), .bytes = sent.bytes(to)});
    RoundAt(schedule, round)
        .receipts.push_back(
            {.peer = from, .at = sent.all() + received.at(from), .bytes = received.bytes(from)});
  }
  return schedule;
}

Schedule ReduceScatterSchedule(int rank, int size, const Blocks& blocks) {
  Schedule schedule = {.buffer_bytes = blocks.all() + blocks.bytes(rank)};
  AddReduceScatter(schedule, rank, AllRanks(size), blocks, 0, blocks.all());
  return schedule;
}

Schedule LongAllreduceSchedule(int rank, int size, const Blocks& blocks) {
  Schedule schedule = {.buffer_bytes = 2 * blocks.all()};
  AddReduceScatter(schedule, rank, AllRanks(size), blocks, 0, blocks.all() + blocks.at(rank));
  AddRing(schedule, rank, AllRanks(size), blocks, blocks.all());
  return schedule;
}

Schedule LongReduceSchedule(int rank, int size, int root, const Blocks& blocks) {
  const bool is_root = rank == root;
  Schedule schedule = {.buffer_bytes =
                           blocks.all() + (is_root ? blocks.all() : blocks.bytes(rank))};
  const std::size_t own = blocks.all() + (is_root ? blocks.at(rank) : 0);
  AddReduceScatter(schedule, rank, AllRanks(size), blocks, 0, own);
  const auto first = static_cast<std::size_t>(size - 1);
  for (int shift = 1; shift < size; ++shift) {
    const int peer = (root + shift) % size;
    const std::size_t round = first + static_cast<std::size_t>((shift - 1) / kWindow);
    if (peer == rank) {
      RoundAt(schedule, round)
          .sends.push_back({.peer = root, .at = own, .bytes = blocks.bytes(rank)});
    } else if (is_root) {
      RoundAt(schedule, round)
          .receipts.push_back(
              {.peer = peer, .at = blocks.all() + blocks.at(peer), .bytes = blocks.bytes(peer)});
    }
  }
  return schedule;
}

Schedule ScanSchedule(int rank, int size, std::size_t bytes, std::size_t unit) {
  Schedule schedule = {.buffer_bytes = bytes};
  const std::size_t segment = kSegment / unit * unit;
  for (std::size_t number = 0; number < SegmentsOf(bytes, segment); ++number) {
    const std::size_t round = number + static_cast<std::size_t>(rank);
    if (rank > 0) {
      Part part = SegmentOf(rank - 1, bytes, segment, number);
      part.combines = part.comes_first = true;
      RoundAt(schedule, round - 1).receipts.push_back(part);
    }
    if (rank + 1 < size) {
      RoundAt(schedule, round).sends.push_back(SegmentOf(rank + 1, bytes, segment, number));
    }
  }
  return schedule;
}

}  // namespace llcl
