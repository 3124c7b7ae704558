// Runs the schedules of all ranks on buffers in memory: no network.
#include "llcl/collective/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "llcl/collective/host_schedule.h"
#include "llcl/collective/long_schedule.h"

namespace llcl {
namespace {

using Buffer = std::vector<unsigned char>;

// Every rank's part, round by round; a receipt that no rank sends, or a message that
// no rank receives, is a failure. Combining is adding.
std::vector<Buffer> RunAll(int size, const std::function<Schedule(int)>& of,
                           const std::function<void(int, Buffer&)>& fill) {
  std::vector<Schedule> schedules;
  std::vector<Buffer> buffers;
  std::size_t rounds = 0;
  for (int rank = 0; rank < size; ++rank) {
    schedules.push_back(of(rank));
    buffers.emplace_back(schedules.back().buffer_bytes);
    fill(rank, buffers.back());
    rounds = std::max(rounds, schedules.back().rounds.size());
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    std::map<std::pair<int, int>, Buffer> under_way;  // from, to
    for (int rank = 0; rank < size; ++rank) {
      const auto mine = static_cast<std::size_t>(rank);
      if (round >= schedules[mine].rounds.size()) continue;
      for (const Part& part : schedules[mine].rounds[round].sends) {
        EXPECT_NE(part.peer, rank);
        const auto begin = buffers[mine].begin() + static_cast<std::ptrdiff_t>(part.at);
        EXPECT_TRUE(under_way
                        .emplace(std::pair(rank, part.peer),
                                 Buffer(begin, begin + static_cast<std::ptrdiff_t>(part.bytes)))
                        .second);
      }
    }
    for (int rank = 0; rank < size; ++rank) {
      const auto mine = static_cast<std::size_t>(rank);
      if (round >= schedules[mine].rounds.size()) continue;
      for (const Part& part : schedules[mine].rounds[round].receipts) {
        const auto found = under_way.find({part.peer, rank});
        if (found == under_way.end()) {
          ADD_FAILURE() << "rank " << rank << " waits for " << part.peer << " for ever";
          continue;
        }
        EXPECT_EQ(found->second.size(), part.bytes);
        for (std::size_t i = 0; i < part.bytes; ++i) {
          const unsigned char operand = buffers[mine][part.operand.value_or(part.at) + i];
          buffers[mine][part.at + i] = static_cast<unsigned char>(
              part.combines ? operand + found->second[i] : found->second[i]);
        }
        under_way.erase(found);
      }
    }
    EXPECT_TRUE(under_way.empty()) << "nobody receives it";
  }
  return buffers;
}

unsigned char Own(int rank, std::size_t i) {
  return static_cast<unsigned char>(rank * 7 + static_cast<int>(i) + 1);
}
void FillOwn(int rank, Buffer& buffer, std::size_t at, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) buffer[at + i] = Own(rank, i);
}

constexpr std::size_t kBytes = 3;

class ScheduleOf : public testing::TestWithParam<int> {};

TEST_P(ScheduleOf, ABarrierLetsNobodyGoBeforeAllCame) {
  const int size = GetParam();
  // The ranks that each rank has heard of, directly or by others.
  std::vector<std::set<int>> heard(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) heard[static_cast<std::size_t>(rank)] = {rank};
  const std::size_t rounds = BarrierSchedule(0, size).rounds.size();
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto before = heard;
    for (int rank = 0; rank < size; ++rank) {
      const Schedule schedule = BarrierSchedule(rank, size);
      for (const Part& part : schedule.rounds[round].receipts) {
        const auto& from = before[static_cast<std::size_t>(part.peer)];
        heard[static_cast<std::size_t>(rank)].insert(from.begin(), from.end());
      }
    }
  }
  for (const auto& all : heard) EXPECT_EQ(all.size(), static_cast<std::size_t>(size));
  RunAll(
      size, [&](int rank) { return BarrierSchedule(rank, size); }, [](int, Buffer&) {});
}

TEST_P(ScheduleOf, ABroadcastBringsTheRootsBytesToAll) {
  const int size = GetParam();
  for (int root = 0; root < size; ++root) {
    const auto buffers = RunAll(
        size, [&](int rank) { return BroadcastSchedule(rank, size, root, kBytes); },
        [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kBytes); });
    Buffer expected(kBytes);
    FillOwn(root, expected, 0, kBytes);
    for (const Buffer& buffer : buffers) EXPECT_EQ(buffer, expected);
  }
}

TEST_P(ScheduleOf, AReductionCombinesEachOnceAndAllreduceBringsItToAll) {
  const int size = GetParam();
  Buffer sum(kBytes);
  for (int rank = 0; rank < size; ++rank) {
    for (std::size_t i = 0; i < kBytes; ++i) {
      sum[i] = static_cast<unsigned char>(sum[i] + Own(rank, i));
    }
  }
  const auto fill = [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kBytes); };
  for (int root = 0; root < size; ++root) {
    const auto buffers = RunAll(
        size, [&](int rank) { return ReduceSchedule(rank, size, root, kBytes); }, fill);
    EXPECT_EQ(buffers[static_cast<std::size_t>(root)], sum);
  }
  const auto buffers = RunAll(
      size, [&](int rank) { return AllreduceSchedule(rank, size, kBytes); }, fill);
  for (const Buffer& buffer : buffers) EXPECT_EQ(buffer, sum);
}

TEST_P(ScheduleOf, AGatherBringsAllBlocksToTheRoot) {
  const int size = GetParam();
  for (int root = 0; root < size; ++root) {
    const auto block = [&](int rank) {
      return static_cast<std::size_t>(GatherBlock(rank, size, root)) * kBytes;
    };
    const auto buffers = RunAll(
        size, [&](int rank) { return GatherSchedule(rank, size, root, kBytes); },
        [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, block(rank), kBytes); });
    for (int rank = 0; rank < size; ++rank) {
      for (std::size_t i = 0; i < kBytes; ++i) {
        EXPECT_EQ(buffers[static_cast<std::size_t>(root)][block(rank) + i], Own(rank, i));
      }
    }
  }
}

TEST_P(ScheduleOf, AnAllgatherBringsAllBlocksToAll) {
  const int size = GetParam();
  const auto buffers = RunAll(
      size, [&](int rank) { return AllgatherSchedule(rank, size, kBytes); },
      [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kBytes); });
  for (int at = 0; at < size; ++at) {
    for (int of = 0; of < size; ++of) {
      const auto block = static_cast<std::size_t>(AllgatherBlock(of, at, size)) * kBytes;
      for (std::size_t i = 0; i < kBytes; ++i) {
        EXPECT_EQ(buffers[static_cast<std::size_t>(at)][block + i], Own(of, i));
      }
    }
  }
}

TEST_P(ScheduleOf, AnAlltoallBringsEachItsBlocks) {
  const int size = GetParam();
  const auto ranks = static_cast<std::size_t>(size);
  const auto value = [&](int from, int to) { return static_cast<unsigned char>(from * size + to); };
  const auto buffers = RunAll(
      size, [&](int rank) { return AlltoallSchedule(rank, size, 1); },
      [&](int rank, Buffer& buffer) {
        for (int to = 0; to < size; ++to) buffer[static_cast<std::size_t>(to)] = value(rank, to);
      });
  for (int to = 0; to < size; ++to) {
    for (int from = 0; from < size; ++from) {
      if (from == to) continue;
      EXPECT_EQ(buffers[static_cast<std::size_t>(to)][ranks + static_cast<std::size_t>(from)],
                value(from, to));
    }
  }
}

TEST_P(ScheduleOf, TreesHaveAsManyRoundsAsTheSizeHasDoublings) {
  const int size = GetParam();
  std::size_t doublings = 0;
  for (int reach = 1; reach < size; reach *= 2) ++doublings;
  EXPECT_EQ(BarrierSchedule(0, size).rounds.size(), doublings);
  EXPECT_EQ(BroadcastSchedule(0, size, 0, 1).rounds.size(), doublings);
  EXPECT_EQ(AllgatherSchedule(0, size, 1).rounds.size(), doublings);
  // The ranks beyond a power of two come before and go after.
  const std::size_t whole = std::bit_width(static_cast<unsigned>(size)) - 1;
  EXPECT_EQ(AllreduceSchedule(0, size, 1).rounds.size(), doublings == whole ? whole : whole + 2);
}

// Blocks of 0 to 3 bytes.
Blocks Uneven(int size, int shift) {
  std::vector<std::size_t> counts;
  for (int rank = 0; rank < size; ++rank) {
    counts.push_back(static_cast<std::size_t>((rank + shift) % 4));
  }
  return Blocks(counts);
}
// The values of `rank` in a reduction of so many bytes begin the buffer.
unsigned char Sum(int size, std::size_t i) {
  int sum = 0;
  for (int rank = 0; rank < size; ++rank) sum += Own(rank, i);
  return static_cast<unsigned char>(sum);
}

TEST_P(ScheduleOf, ALongBroadcastIsAChainOfSegments) {
  const int size = GetParam();
  if (size > 5) return;  // A chain of more is no other.
  constexpr std::size_t kLong = 4 * kSegment + 5;
  const int root = size / 2;
  const auto buffers = RunAll(
      size, [&](int rank) { return LongBroadcastSchedule(rank, size, root, kLong); },
      [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kLong); });
  Buffer expected(kLong);
  FillOwn(root, expected, 0, kLong);
  for (const Buffer& buffer : buffers) EXPECT_TRUE(buffer == expected);
}

TEST_P(ScheduleOf, LongGathersAndScattersMoveBlocksThatDiffer) {
  const int size = GetParam(), root = size - 1;
  const Blocks blocks = Uneven(size, 1);
  const auto fill_block = [&](int rank, Buffer& buffer, std::size_t base) {
    FillOwn(rank, buffer, base + blocks.at(rank), blocks.bytes(rank));
  };
  const auto expect_all = [&](const Buffer& buffer, std::size_t base) {
    for (int rank = 0; rank < size; ++rank) {
      for (std::size_t i = 0; i < blocks.bytes(rank); ++i) {
        EXPECT_EQ(buffer[base + blocks.at(rank) + i], Own(rank, i));
      }
    }
  };
  const auto gathered = RunAll(
      size, [&](int rank) { return LongAllgatherSchedule(rank, size, blocks); },
      [&](int rank, Buffer& buffer) { fill_block(rank, buffer, blocks.bytes(rank)); });
  for (int rank = 0; rank < size; ++rank) {
    expect_all(gathered[static_cast<std::size_t>(rank)], blocks.bytes(rank));
  }
  const auto on_root = RunAll(
      size, [&](int rank) { return LongGatherSchedule(rank, size, root, blocks); },
      [&](int rank, Buffer& buffer) {
        FillOwn(rank, buffer, 0, blocks.bytes(rank));
        if (rank == root) fill_block(rank, buffer, blocks.bytes(rank));
      });
  expect_all(on_root[static_cast<std::size_t>(root)], blocks.bytes(root));
  const auto scattered = RunAll(
      size, [&](int rank) { return LongScatterSchedule(rank, size, root, blocks); },
      [&](int rank, Buffer& buffer) {
        for (int to = 0; rank == root && to < size; ++to) fill_block(to, buffer, 0);
      });
  for (int rank = 0; rank < size; ++rank) {
    for (std::size_t i = 0; rank != root && i < blocks.bytes(rank); ++i) {
      EXPECT_EQ(scattered[static_cast<std::size_t>(rank)][i], Own(rank, i));
    }
  }
}

TEST_P(ScheduleOf, ALongAlltoallMovesBlocksThatDiffer) {
  const int size = GetParam();
  const auto count = [](int from, int to) { return static_cast<std::size_t>((from + 2 * to) % 4); };
  std::vector<Blocks> sent, received;
  for (int rank = 0; rank < size; ++rank) {
    std::vector<std::size_t> to, from;
    for (int other = 0; other < size; ++other) {
      to.push_back(count(rank, other));
      from.push_back(count(other, rank));
    }
    sent.emplace_back(to);
    received.emplace_back(from);
  }
  const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
  const auto buffers = RunAll(
      size,
      [&](int rank) {
        return LongAlltoallSchedule(rank, size, sent[at(rank)], received[at(rank)]);
      },
      [&](int rank, Buffer& buffer) {
        for (int to = 0; to < size; ++to) {
          FillOwn(rank * 16 + to, buffer, sent[at(rank)].at(to), count(rank, to));
        }
      });
  for (int rank = 0; rank < size; ++rank) {
    for (int from = 0; from < size; ++from) {
      for (std::size_t i = 0; from != rank && i < count(from, rank); ++i) {
        EXPECT_EQ(buffers[at(rank)][sent[at(rank)].all() + received[at(rank)].at(from) + i],
                  Own(from * 16 + rank, i));
      }
    }
  }
}

TEST_P(ScheduleOf, LongReductionsCombineEachElementOfEachRankOnce) {
  const int size = GetParam(), root = size - 1;
  constexpr std::size_t kAll = 37;
  const Blocks blocks = Blocks::Even(kAll, size, 1);
  EXPECT_EQ(blocks.all(), kAll);
  // The memory of a result is not read.
  const auto fill = [&](int rank, Buffer& buffer) {
    std::fill(buffer.begin(), buffer.end(), static_cast<unsigned char>(0x55));
    FillOwn(rank, buffer, 0, kAll);
    if (size == 1) FillOwn(rank, buffer, kAll, kAll);
  };
  const auto scattered = RunAll(
      size, [&](int rank) { return ReduceScatterSchedule(rank, size, blocks); }, fill);
  const auto on_all = RunAll(
      size, [&](int rank) { return LongAllreduceSchedule(rank, size, blocks); }, fill);
  const auto on_root = RunAll(
      size, [&](int rank) { return LongReduceSchedule(rank, size, root, blocks); }, fill);
  for (int rank = 0; rank < size; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < blocks.bytes(rank); ++i) {
      EXPECT_EQ(scattered[at][kAll + i], Sum(size, blocks.at(rank) + i));
    }
    for (std::size_t i = 0; i < kAll; ++i) {
      EXPECT_EQ(on_all[at][kAll + i], Sum(size, i));
      EXPECT_EQ(on_root[static_cast<std::size_t>(root)][kAll + i], Sum(size, i));
    }
  }
}

TEST_P(ScheduleOf, AScanCombinesTheRanksUpToEach) {
  const int size = GetParam();
  if (size > 5) return;
  constexpr std::size_t kLong = 2 * kSegment + 3;
  const auto buffers = RunAll(
      size, [&](int rank) { return ScanSchedule(rank, size, kLong, 1); },
      [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kLong); });
  for (int rank = 0; rank < size; ++rank) {
    Buffer expected(kLong);
    for (std::size_t i = 0; i < kLong; ++i) expected[i] = Sum(rank + 1, i);
    EXPECT_TRUE(buffers[static_cast<std::size_t>(rank)] == expected) << rank;
  }
}

// Parts that a rank sends, and bytes, over all rounds.
TEST_P(ScheduleOf, LongOperationsMoveAsManyBytesAsTheirFormulasSay) {
  const int size = GetParam();
  const auto ranks = static_cast<std::size_t>(size);
  const std::size_t bytes = 64 * ranks;
  const Blocks blocks = Blocks::Even(bytes, size, 8);
  const auto sent = [](const Schedule& schedule) {
    std::size_t all = 0;
    for (const Round& round : schedule.rounds) {
      for (const Part& part : round.sends) all += part.bytes;
    }
    return all;
  };
  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(sent(LongAllgatherSchedule(rank, size, blocks)), (ranks - 1) * 64);
    EXPECT_EQ(sent(ReduceScatterSchedule(rank, size, blocks)), (ranks - 1) * 64);
    EXPECT_EQ(sent(LongAllreduceSchedule(rank, size, blocks)), 2 * (ranks - 1) * 64);
    EXPECT_EQ(sent(LongAlltoallSchedule(rank, size, blocks, blocks)), (ranks - 1) * 64);
  }
}

INSTANTIATE_TEST_SUITE_P(Size, ScheduleOf, testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 33),
                         testing::PrintToStringParamName());

// Ranks on hosts: one after the other, in turn, and of different numbers.
class HostScheduleOf : public testing::TestWithParam<std::vector<int>> {};

TEST_P(HostScheduleOf, ABroadcastFromEachRootComesToAllAndOnceToEachHost) {
  const TeamHosts hosts(GetParam());
  const int size = static_cast<int>(GetParam().size());
  EXPECT_TRUE(hosts.have_levels());
  for (int root = 0; root < size; ++root) {
    const auto schedule = [&](int rank) {
      return HostBroadcastSchedule(rank, hosts, root, kBytes);
    };
    const auto buffers =
        RunAll(size, schedule, [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kBytes); });
    Buffer expected(kBytes);
    FillOwn(root, expected, 0, kBytes);
    std::size_t between = 0;
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(buffers[static_cast<std::size_t>(rank)], expected);
      for (const Round& round : schedule(rank).rounds) {
        for (const Part& part : round.sends) {
          between += hosts.GroupOf(rank) != hosts.GroupOf(part.peer) ? 1u : 0u;
        }
      }
    }
    EXPECT_EQ(between, hosts.groups().size() - 1);
  }
}

TEST_P(HostScheduleOf, AnAllreduceCombinesEachElementOfEachRankOnce) {
  const TeamHosts hosts(GetParam());
  const int size = static_cast<int>(GetParam().size());
  const auto buffers = RunAll(
      size, [&](int rank) { return HostAllreduceSchedule(rank, hosts, kBytes); },
      [&](int rank, Buffer& buffer) { FillOwn(rank, buffer, 0, kBytes); });
  for (const Buffer& buffer : buffers) {
    for (std::size_t i = 0; i < kBytes; ++i) EXPECT_EQ(buffer[i], Sum(size, i));
  }
  RunAll(
      size, [&](int rank) { return HostBarrierSchedule(rank, hosts); }, [](int, Buffer&) {});
}

TEST_P(HostScheduleOf, ALongAllreduceSendsTheHostsShareOfTheBytesBetweenHosts) {
  const TeamHosts hosts(GetParam());
  const int size = static_cast<int>(GetParam().size());
  if (!hosts.are_equal()) return;
  constexpr std::size_t kAll = 5 * 12 + 2;
  const auto schedule = [&](int rank) { return LongHostAllreduceSchedule(rank, hosts, kAll, 1); };
  const auto buffers = RunAll(size, schedule, [&](int rank, Buffer& buffer) {
    std::fill(buffer.begin(), buffer.end(), static_cast<unsigned char>(0x55));
    FillOwn(rank, buffer, 0, kAll);
  });
  std::size_t between = 0;
  for (int rank = 0; rank < size; ++rank) {
    for (std::size_t i = 0; i < kAll; ++i) {
      EXPECT_EQ(buffers[static_cast<std::size_t>(rank)][kAll + i], Sum(size, i));
    }
    for (const Round& round : schedule(rank).rounds) {
      for (const Part& part : round.sends) {
        if (hosts.GroupOf(rank) != hosts.GroupOf(part.peer)) between += part.bytes;
      }
    }
  }
  // Of all ranks of all hosts: 2 n (hosts - 1).
  EXPECT_EQ(between, 2 * kAll * (hosts.groups().size() - 1));
}

INSTANTIATE_TEST_SUITE_P(Hosts, HostScheduleOf,
                         testing::Values(std::vector{0, 0, 1, 1}, std::vector{5, 3, 5, 3, 5, 3},
                                         std::vector{0, 0, 0, 1}, std::vector{0, 1, 1, 2, 2, 2},
                                         std::vector{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));

}  // namespace
}  // namespace llcl
