// dsm/home/watch.h's own code under interleavings: no write of a home is missed by who holds a
// copy.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "dsm/home/watch.h"
#include "tools/model/interleavings.h"

namespace dsm {
namespace {

using Watch = BasicWatch<model::Atomic>;

// A page at home: its value and whether it may be written are one word, as a processor's write
// is one step: it is done or it faults.
struct Game {
  static constexpr int kWritable = 1;
  static int ValueOf(int word) { return word / 2; }

  void Write(int value) {
    while (true) {
      int word = page.Load(std::memory_order_acquire);
      if ((word & kWritable) == 0) {
        watch.BeginWrite();
        Map(kWritable);
        watch.EndWrite();
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
    const Watch::Known known = watch.Flush();
    if (known == Watch::Known::kWatch) Map(0);
    return known != Watch::Known::kUnchanged;
  }
  int Fetch() { return ValueOf(page.Load(std::memory_order_acquire)); }

  model::Atomic<int> page{7 * 2 + kWritable};
  Watch watch;
  model::Atomic<int> copy{0};  // the holder's, or 0
};

void ExpectHolds(const std::function<model::Program()>& make) {
  const model::Outcome outcome = model::ExploreAll(make, {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// The holder fetches after the first flush and keeps what no flush drops; the home's threads
// write whenever they like.
TEST(WatchModel, ACopyThatSurvivesIsWhatIsAtHome) {
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
TEST(WatchModel, WhatIsWrittenWhileAnotherThreadFaultsIsSeen) {
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

TEST(Watch, APageThatIsWrittenAllTheTimeIsLeftAloneTwiceAsLongEachTime) {
  Watch watch;
  int watched = 0;
  for (int flush = 0; flush < 200; ++flush) {
    const Watch::Known known = watch.Flush();
    EXPECT_NE(known, Watch::Known::kUnchanged);
    if (known == Watch::Known::kWatch) ++watched;
    watch.SetWritten();
  }
  EXPECT_EQ(watched, 9);  // at flushes 0, 1, 3, 7, 15, 31, 63, 127, 191
}

TEST(Watch, APageThatIsNotWrittenIsUnchanged) {
  Watch watch;
  EXPECT_FALSE(watch.is_known());
  EXPECT_EQ(watch.Flush(), Watch::Known::kWatch) << "nobody knows what was before";
  EXPECT_TRUE(watch.is_known());
  for (int flush = 0; flush < 3; ++flush) EXPECT_EQ(watch.Flush(), Watch::Known::kUnchanged);
  watch.SetWritten();
  EXPECT_EQ(watch.Flush(), Watch::Known::kWatch);
  EXPECT_EQ(watch.Flush(), Watch::Known::kUnchanged);
}

}  // namespace
}  // namespace dsm
