#include "apps/stencil/simulated/recorder.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr int kThreads = 3;

// A plane is eight pages, a row one; three ranks.
Problem Small() { return {.nz = 36, .ny = 8, .nx = 512, .steps = 8, .block = 4}; }

Recording RecordOf(Blocking blocking, Pages pages, int number) {
  const auto node = Node::Create({}, 7, kThreads);
  EXPECT_TRUE(node.ok()) << node.status();
  auto recording = Record(Small(), blocking, pages, number, 3, kPage, *node);
  EXPECT_TRUE(recording.ok()) << recording.status();
  return *std::move(recording);
}

std::uint64_t Count(const std::vector<dsm::PageRange>& ranges) {
  std::uint64_t count = 0;
  for (const dsm::PageRange range : ranges) count += range.count().value();
  return count;
}

TEST(Recorder, TheSimpleBlockingPreloadsAPlaneOfEachNeighborAndItsOuterThreadsReadThem) {
  const Recording recording = RecordOf(Blocking::kNone, Pages::kByPreload, 1);
  EXPECT_EQ(recording.exchanges, 8u);
  ASSERT_EQ(recording.meetings.size(), 8u);
  // Two grids, of which a plane below and one above are read.
  EXPECT_EQ(recording.pages, 2u * 2 * 8);
  for (const std::vector<Action>& actions : recording.meetings) {
    ASSERT_EQ(actions.size(), 2u);
    ASSERT_EQ(actions[0].preloads.size(), 2u);
    EXPECT_EQ(Count(actions[0].preloads), 2u * 8);
    ASSERT_EQ(actions[1].threads.size(), 3u);
    EXPECT_EQ(actions[1].threads[0].others_pages, std::vector{actions[0].preloads[0]});
    EXPECT_TRUE(actions[1].threads[1].others_pages.empty());
    EXPECT_EQ(actions[1].threads[2].others_pages, std::vector{actions[0].preloads[1]});
    EXPECT_EQ(actions[1].threads[1].updates, 4.0 * 8 * 512);
  }
}

TEST(Recorder, ByFaultsNothingIsPreloadedAndTheSameIsRead) {
  for (const Blocking blocking : {Blocking::kNone, Blocking::kRedundant, Blocking::kTwoPhases}) {
    for (int number = 0; number < 3; ++number) {
      const Recording by_fault = RecordOf(blocking, Pages::kByFault, number);
      Recording by_preload = RecordOf(blocking, Pages::kByPreload, number);
      for (auto& actions : by_preload.meetings) {
        std::erase_if(actions, [](const Action& action) { return action.threads.empty(); });
      }
      EXPECT_EQ(by_fault, by_preload) << static_cast<int>(blocking) << " " << number;
    }
  }
}

TEST(Recorder, WhatIsReadHasBeenPreloadedAndNothingElse) {
  for (const Blocking blocking : {Blocking::kNone, Blocking::kRedundant, Blocking::kTwoPhases}) {
    const Recording recording = RecordOf(blocking, Pages::kByPreload, 1);
    for (const auto& actions : recording.meetings) {
      std::vector<bool> is_preloaded(recording.pages), is_read(recording.pages);
      const auto mark = [](const std::vector<dsm::PageRange>& ranges, std::vector<bool>& marks) {
        for (const dsm::PageRange range : ranges) {
          for (const dsm::PageNumber page : range) marks[page.value()] = true;
        }
      };
      for (const Action& action : actions) {
        mark(action.preloads, is_preloaded);
        for (const ThreadWork& thread : action.threads) mark(thread.others_pages, is_read);
      }
      EXPECT_EQ(is_read, is_preloaded) << static_cast<int>(blocking);
    }
  }
}

TEST(Recorder, AHomeIsTheNeighborAtThatSide) {
  for (const Blocking blocking : {Blocking::kNone, Blocking::kRedundant, Blocking::kTwoPhases}) {
    for (int number = 0; number < 3; ++number) {
      int below = 0, above = 0;
      for (const Recording::Home& home : RecordOf(blocking, Pages::kByFault, number).homes) {
        EXPECT_EQ(std::abs(home.away), 1);
        ++(home.away < 0 ? below : above);
      }
      EXPECT_EQ(below > 0, number > 0);
      EXPECT_EQ(above > 0, number < 2);
    }
  }
}

TEST(Recorder, BlockedTimeIsComputedTwiceWherePartsMeet) {
  const auto updates = [](const Recording& recording) {
    double sum = 0;
    for (const auto& actions : recording.meetings) {
      for (const Action& action : actions) {
        for (const ThreadWork& thread : action.threads) sum += thread.updates;
      }
    }
    return sum;
  };
  const double plane = 8 * 512;
  EXPECT_EQ(updates(RecordOf(Blocking::kNone, Pages::kByFault, 1)), 8 * 12 * plane);
  // Of four steps, 3, 2, 1 and no planes more at each side of a part.
  EXPECT_EQ(updates(RecordOf(Blocking::kRedundant, Pages::kByFault, 1)),
            (8 * 12 + 2 * kThreads * 2 * (3 + 2 + 1)) * plane);
}

}  // namespace
}  // namespace stencil
