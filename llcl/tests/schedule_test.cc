// Runs the schedules of all ranks on buffers in memory: no network.
#include "llcl/collective/schedule.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

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
          unsigned char& to = buffers[mine][part.at + i];
          to = static_cast<unsigned char>(part.combines ? to + found->second[i] : found->second[i]);
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
  EXPECT_EQ(AllreduceSchedule(0, size, 1).rounds.size(), 2 * doublings);
}

INSTANTIATE_TEST_SUITE_P(Size, ScheduleOf, testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 33),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace llcl
