// What a space does besides: it saves itself, says what is hot, and places its threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "dsm/tests/space_rank.h"
#include "llcl/owned_fd.h"
#include "topo/pu_set.h"

namespace dsm {
namespace {

TEST(Space, PagesThatAreFetchedOftenAreReported) {
  if (space->ranks() == 1 || IsBounded()) return;
  const auto words = Words(WordsOfPages(3), OnRank{0});
  const std::uint64_t page = space->options().page_bytes / 8;
  for (int round = 0; round < 30; ++round) {
    EXPECT_EQ(words[page], 0u);
    Meet(Consistency::kDiscard);
  }
  // Other tests have fetched others more often.
  const auto hottest = space->Hottest(10'000);
  const auto ours = std::find_if(hottest.begin(), hottest.end(), [&](const HotPage& one) {
    return one.at == reinterpret_cast<const std::byte*>(&words[page]);
  });
  if (space->rank() != 0) {
    ASSERT_NE(ours, hottest.end());
    EXPECT_EQ(ours->heat.fetched, 30u);
    EXPECT_EQ(ours->heat.faults, 30u);
    EXPECT_GE(hottest.front().heat.fetched, 30u) << "the most first";
    EXPECT_NE(space->Describe(hottest).find("[" + std::to_string(page) + "] of the array"),
              std::string::npos);
  }
  Meet();
}

std::string CheckpointPath() {
  // All ranks are of one machine, and of one job.
  const char* const folder = std::getenv("TEST_TMPDIR");
  return std::string(folder == nullptr ? "/tmp" : folder) + "/checkpoint-" +
         std::to_string(getppid());
}

TEST(Space, SavedPagesComeBack) {
  const std::uint64_t count = WordsOfPages(9);
  const auto words = Words(count, Block{.count = space->ranks()});
  const auto other = Words(100, OnRank{space->ranks() - 1});
  const std::uint64_t begin =
      count / static_cast<std::uint64_t>(space->ranks()) * static_cast<std::uint64_t>(Next());
  const std::uint64_t page = space->options().page_bytes / 8;
  // To copies, so that it is more than what is at home; the first and the fifth page are zeros.
  for (std::uint64_t i = page; i < 9 * page; ++i) {
    if (i / page != 4) words[begin + i] = i;
  }
  const std::string path = CheckpointPath();
  const absl::Status saved = space->Save(path);
  ASSERT_TRUE(saved.ok()) << saved;
  for (std::uint64_t i = 0; i < 9 * page; ++i) words[begin + i] = 77;
  if (space->rank() == 0) other[5] = 77;
  Meet();
  EXPECT_EQ(words[0], 77u);
  const absl::Status restored = space->Restore(path);
  ASSERT_TRUE(restored.ok()) << restored;
  for (std::uint64_t i = 0; i < 9 * page; ++i) {
    ASSERT_EQ(words[begin + i], i < page || i / page == 4 ? 0 : i) << i;
  }
  EXPECT_EQ(other[5], 0u);
  // The files of version 0.1 had no numbers.
  const std::string end = "." + std::to_string(space->rank());
  ASSERT_EQ(rename((path + ".1" + end).c_str(), (path + end).c_str()), 0);
  words[begin + page] = 77;
  Meet();
  EXPECT_TRUE(space->Restore(path).ok());
  EXPECT_EQ(words[begin + page], page);
  Meet();
  ASSERT_EQ(rename((path + end).c_str(), (path + ".1" + end).c_str()), 0);
  EXPECT_TRUE(absl::IsNotFound(space->Restore(path + "-none")));
  // Files that are no checkpoints.
  const std::string other_file = path + "-other.1" + end;
  std::ofstream(other_file) << "no checkpoint";
  Meet();
  EXPECT_THAT(std::string(space->Restore(path + "-other").message()),
              testing::StartsWith(other_file + ": "));
  Meet();
  unlink(other_file.c_str());

  // With more memory it is another space; a file that was cut off is none; all or none change.
  EXPECT_TRUE(absl::IsInternal(space->Save("/no/such/folder/checkpoint")));
  const std::string last = path + ".1." + std::to_string(space->ranks() - 1);
  if (space->rank() == space->ranks() - 1) {
    ASSERT_EQ(truncate(last.c_str(), 9000), 0);
  }
  words[begin] = 5;
  Meet();
  const absl::Status cut = space->Restore(path);
  if (space->rank() == space->ranks() - 1) {
    EXPECT_EQ(cut.message(), last + ": it is cut off");
  } else {
    EXPECT_EQ(cut.message(),
              "rank " + std::to_string(space->ranks() - 1) + " cannot restore its pages");
  }
  EXPECT_EQ(words[begin], 5u);
  (void)Words(1, OnRank{0});
  if (space->rank() == 0 && space->ranks() > 1) {
    EXPECT_TRUE(absl::IsFailedPrecondition(space->Restore(path)));
  } else {
    EXPECT_FALSE(space->Restore(path).ok());
  }
  Meet();
  unlink((path + ".1." + std::to_string(space->rank())).c_str());
}

// By thread of this process.
std::vector<std::string> AllowedPus() {
  std::vector<std::string> pus;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("Cpus_allowed_list:", 0) == 0) pus.push_back(line.substr(19));
    }
  }
  return pus;
}

TEST(Space, CommunicationRunsWhereThePlacementSays) {
  if (space->options().threads == 0) {
    EXPECT_EQ(space->placement(), Placement());
    return;
  }
  ASSERT_EQ(space->placement().program.size(), 1u);
  const std::string communication = topo::PuSet(space->placement().communication).ToString();
  // A thread of the test before that ends while the folder is read may hide another.
  std::int64_t there = 0;
  for (int tries = 0; there == 0 && tries < 100; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::vector<std::string> all = AllowedPus();
    there = std::count(all.begin(), all.end(), communication);
  }
  EXPECT_GE(there, 1) << communication;
}

TEST(Space, WithAServerSystemCallsReachPagesThatAreAbsent) {
  if (space->engine() != EngineKind::kServer) GTEST_SKIP() << "with this engine they do not";
  const auto words = Words(WordsOfPages(1), Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  words[mine.begin[0]] = words[mine.begin[0] + 1] = 7;
  Meet();
  const std::uint64_t sent = 1000 + static_cast<std::uint64_t>(space->rank());
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  const llcl::OwnedFd from(ends[0]), to(ends[1]);
  ASSERT_EQ(write(to.get(), &sent, sizeof sent), static_cast<ssize_t>(sizeof sent));
  EXPECT_EQ(read(from.get(), &words[theirs.begin[0]], sizeof sent),
            static_cast<ssize_t>(sizeof sent));
  EXPECT_EQ(words[theirs.begin[0] + 1], 7u) << "the rest is as its home has it";
  Meet();
  const auto previous =
      static_cast<std::uint64_t>((space->rank() + space->ranks() - 1) % space->ranks());
  EXPECT_EQ(words[mine.begin[0]], 1000 + previous) << "what a system call wrote went home";
  Meet();
}

}  // namespace
}  // namespace dsm
