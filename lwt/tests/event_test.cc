#include "lwt/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;

class EventTest : public WithWorkers {};
INSTANTIATE_TEST_SUITE_P(Workers, EventTest, testing::Values(1, 2, 4));

TEST_P(EventTest, AWaitingThreadDoesNotHoldUpItsWorker) {
  pool_->Run([] {
    Event event;
    int order = 0;
    Thread waiting = Spawn([&] {
      event.Wait();
      EXPECT_EQ(++order, 2);
    });
    EXPECT_EQ(++order, 1);
    event.Set();
    waiting.Join();
    EXPECT_EQ(order, 2);
  });
}

TEST_P(EventTest, AnEventThatIsSetHoldsUpNoThread) {
  pool_->Run([] {
    Event event;
    event.Set();
    event.Set();
    EXPECT_TRUE(event.IsSet());
    event.Wait();
    event.Reset();
    EXPECT_FALSE(event.IsSet());
  });
}

TEST_P(EventTest, AnOsThreadOutsideMaySetIt) {
  Event ready, done;
  int value = 0;
  std::thread outside([&] {
    ready.Wait();
    value = 42;
    done.Set();
  });
  const int seen = pool_->Run([&] {
    ready.Set();
    done.Wait();
    return value;
  });
  outside.join();
  EXPECT_EQ(seen, 42);
}

TEST_P(EventTest, AnOsThreadOutsideMayWaitForIt) {
  std::unique_ptr<Event> done = std::make_unique<Event>();
  int value = 0;
  std::thread outside([&] {
    done->Wait();
    EXPECT_EQ(value, 42);
    done.reset();
  });
  pool_->Run([&] {
    value = 42;
    done->Set();
  });
  outside.join();
}

TEST_P(EventTest, TenThousandThreadsWaitForOneEvent) {
  const int threads = kMany;
  const int woken = pool_->Run([&] {
    Event event;
    std::atomic<int> waiting{0}, woken{0};
    std::vector<Thread> all;
    for (int i = 0; i < threads; ++i) {
      all.push_back(Spawn([&] {
        ++waiting;
        event.Wait();
        ++woken;
      }));
    }
    while (waiting < threads) Yield();
    EXPECT_EQ(woken, 0);
    event.Set();
    all.clear();
    return woken.load();
  });
  EXPECT_EQ(woken, threads);
}

TEST_P(EventTest, ADeadlineEndsTheWaitAndTheEventIsStillThere) {
  const auto wait = [] {
    Event event;
    const Deadline before = Now();
    EXPECT_FALSE(event.WaitFor(3ms));
    EXPECT_GE(Now() - before, 3ms);
    EXPECT_FALSE(event.WaitUntil(before)) << "that moment has passed";
    event.Set();
    EXPECT_TRUE(event.WaitUntil(before)) << "what is set is not waited for";
  };
  pool_->Run(wait);
  wait();
}

TEST_P(EventTest, AWaiterThatGivesUpLeavesTheOthersWaiting) {
  pool_->Run([&] {
    Event event;
    std::atomic<int> timed_out{0}, woken{0};
    std::vector<Thread> patient, impatient;
    for (int i = 0; i < 100; ++i) {
      patient.push_back(Spawn([&] { woken += event.WaitFor(1h); }));
      impatient.push_back(Spawn([&, i] { timed_out += !event.WaitFor((i % 7) * 1ms); }));
      patient.push_back(Spawn([&] {
        event.Wait();
        ++woken;
      }));
    }
    impatient.clear();
    EXPECT_EQ(timed_out, 100);
    EXPECT_EQ(woken, 0);
    event.Set();
    patient.clear();
    EXPECT_EQ(woken, 200);
    EXPECT_EQ(pool_->timers().earliest(), kNever) << "deadlines are taken back";
  });
}

TEST(EventOrder, TheFirstWaiterIsWokenFirst) {
  MakePool(1)->Run([] {
    Event event;
    // Each runs until it waits, so that they wait in this order; the head of the run queue is the
    // one that was woken last.
    std::vector<int> woken;
    std::vector<Thread> all;
    for (int i = 0; i < 5; ++i) {
      all.push_back(Spawn([&, i] {
        event.Wait();
        woken.push_back(i);
      }));
    }
    event.Set();
    all.clear();
    EXPECT_EQ(woken, (std::vector<int>{4, 3, 2, 1, 0}));
  });
}

TEST_P(EventTest, AnExceptionThatIsHandledWhileWaitingStaysTheThreadsOwn) {
  pool_->Run([] {
    Event event;
    Thread waiting = Spawn([&] {
      try {
        throw std::runtime_error("mine");
      } catch (const std::runtime_error&) {
        event.Wait();
        try {
          throw;
        } catch (const std::runtime_error& again) {
          EXPECT_STREQ(again.what(), "mine");
        }
      }
    });
    try {
      throw std::logic_error("another");
    } catch (const std::logic_error&) {
      event.Set();
    }
    waiting.Join();
  });
}

TEST_P(EventTest, ALatchOpensOnceAllHaveCountedDown) {
  pool_->Run([] {
    Latch latch(100);
    std::atomic<int> counted{0};
    for (int i = 0; i < 100; ++i) {
      Spawn([&] {
        ++counted;
        latch.CountDown();
      }).Detach();
    }
    latch.Wait();
    EXPECT_EQ(counted, 100);
    EXPECT_TRUE(latch.IsOpen());
    latch.Wait();
  });
}

TEST_P(EventTest, ALatchOfZeroIsOpen) {
  pool_->Run([] { Latch(0).Wait(); });
}

TEST_P(EventTest, ALatchIsSharedByPoolAndOutside) {
  Latch latch(2);
  std::thread outside([&] { latch.ArriveAndWait(); });
  pool_->Run([&] { latch.ArriveAndWait(); });
  outside.join();
}

TEST(LatchDeathTest, CountingBelowZeroEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Latch latch(1);
  EXPECT_DEATH(latch.CountDown(2), "latch.h:.*a latch is counted down to 0 and no further");
}

TEST_P(EventTest, AJoinCounterServesRoundAfterRound) {
  pool_->Run([] {
    JoinCounter counter(8);
    std::atomic<int> done{0};
    for (int round = 1; round <= 50; ++round) {
      for (int i = 0; i < 8; ++i) {
        Spawn([&] {
          ++done;
          counter.Decrement();
        }).Detach();
      }
      counter.Wait();
      EXPECT_EQ(done, 8 * round);
    }
  });
}

TEST_P(EventTest, AJoinCounterTakesDecrementsFromOutside) {
  JoinCounter counter(3);
  std::thread outside([&] {
    for (int i = 0; i < 30; ++i) counter.Decrement();
  });
  pool_->Run([&] {
    for (int round = 0; round < 10; ++round) counter.Wait();
  });
  outside.join();
}

}  // namespace
}  // namespace lwt
