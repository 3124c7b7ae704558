// dsm/home/write_tracker.h's own code under interleavings: no write of a home is missed by a rank
// that holds a copy.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "dsm/home/write_tracker.h"
#include "tools/model/interleavings.h"

namespace dsm {
namespace {

using Tracker = BasicWriteTracker<model::Atomic>;

// A page at home: its value and whether it may be written are one word, as a processor's write
// is one step: it is done or it faults.
struct Game {
  static constexpr int kWritable = 1;
  static int ValueOf(int word) { return word / 2; }

  void Write(int value) {
    while (true) {
      int word = page.Load(std::memory_order_acquire);
      if ((word & kWritable) == 0) {
        tracker.BeginWrite();
        Map(kWritable);
        tracker.EndWrite();
      } else if (page.CompareExchange(word, value * 2 + kWritable, std::memory_order_acq_rel)) {
        return;
      }
    }
  }
  void Map(int writable) {
    int word = page.Load(std::memory_order_acquire);
    while (!page.CompareExchange(word, ValueOf(word) * 2 + writable, std::memory_order_acq_rel)) {
    }
  }
  // Is the copy dropped?
  bool Flush() {
    const Tracker::Known known = tracker.Flush();
    if (known == Tracker::Known::kTrack) Map(0);
    return known != Tracker::Known::kUnchanged;
  }
  int Fetch() { return ValueOf(page.Load(std::memory_order_acquire)); }

  model::Atomic<int> page{7 * 2 + kWritable};
  Tracker tracker;
  model::Atomic<int> copy{0};  // the holder's, or 0
};

void ExpectHolds(const std::function<model::Program()>& make) {
  const model::Outcome outcome = model::ExploreAll(make, {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// The holder fetches after the first flush and keeps what no flush drops; the home's threads
// write whenever they like.
TEST(WriteTrackerModel, ACopyThatSurvivesIsWhatIsAtHome) {
  ExpectHolds([] {
    auto game = std::make_shared<Game>();
    (void)game->Flush();
    const auto flushes = [=] {
      int copy = game->Fetch();
      for (int i = 0; i < 2; ++i) {
        if (game->Flush()) copy = game->Fetch();
      }
      game->copy.Store(copy, std::memory_order_release);
    };
    return model::Program{{flushes, [=] { game->Write(8); }, [=] { game->Write(9); }}, [=] {
                            // The next flush is after the writes.
                            int copy = game->copy.Load(std::memory_order_acquire);
                            if (game->Flush()) copy = game->Fetch();
                            model::Require(copy == game->Fetch(), "as it is at home");
                          }};
  });
}

// One thread faults, another writes as soon as it can and flushes: its write is not missed.
TEST(WriteTrackerModel, AWriteWhileAnotherThreadFaultsIsSeen) {
  ExpectHolds([] {
    auto game = std::make_shared<Game>();
    (void)game->Flush();
    const int copy = game->Fetch();
    return model::Program{{[=] { game->Write(8); },
                           [=] {
                             game->Write(9);
                             const bool is_dropped = game->Flush();
                             model::Require(is_dropped || copy == 9, "the copy is dropped");
                           }}};
  });
}

TEST(WriteTracker, APageThatIsWrittenAllTheTimeIsLeftAloneTwiceAsLongEachTime) {
  Tracker tracker;
  int tracked = 0;
  for (int flush = 0; flush < 200; ++flush) {
    const Tracker::Known known = tracker.Flush();
    EXPECT_NE(known, Tracker::Known::kUnchanged);
    if (known == Tracker::Known::kTrack) ++tracked;
    tracker.SetWritten();
  }
  EXPECT_EQ(tracked, 9);  // at flushes 0, 1, 3, 7, 15, 31, 63, 127, 191
}

TEST(WriteTracker, APageThatIsNotWrittenIsUnchanged) {
  Tracker tracker;
  EXPECT_FALSE(tracker.is_known());
  EXPECT_EQ(tracker.Flush(), Tracker::Known::kTrack) << "nobody knows what was before";
  EXPECT_TRUE(tracker.is_known());
  for (int flush = 0; flush < 3; ++flush) EXPECT_EQ(tracker.Flush(), Tracker::Known::kUnchanged);
  tracker.SetWritten();
  EXPECT_EQ(tracker.Flush(), Tracker::Known::kTrack);
  EXPECT_EQ(tracker.Flush(), Tracker::Known::kUnchanged);
}

}  // namespace
}  // namespace dsm
