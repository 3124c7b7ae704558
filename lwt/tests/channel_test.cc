#include "lwt/channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

class ChannelTest : public WithWorkers {};
INSTANTIATE_TEST_SUITE_P(Workers, ChannelTest, testing::Values(1, 2, 4));

TEST_P(ChannelTest, ItemsComeInTheOrderInWhichTheyWereSent) {
  pool_->Run([] {
    Channel<int> channel(4);
    Thread sender = Spawn([&] {
      for (int i = 0; i < 1'000; ++i) EXPECT_EQ(channel.Send(i), Sent::kSent);
      channel.Close();
    });
    for (int i = 0; i < 1'000; ++i) EXPECT_EQ(channel.Receive(), i);
    EXPECT_EQ(channel.Receive(), std::nullopt);
    sender.Join();
  });
}

TEST_P(ChannelTest, ManySendersAndReceiversLoseNothingAndDoubleNothing) {
  constexpr int kThreads = 8, kItems = 500;
  Channel<int> channel(3);
  std::vector<std::atomic<int>> seen(kThreads * kItems);
  std::thread outside([&] {
    while (const auto item = channel.Receive()) ++seen[*item];
  });
  pool_->Run([&] {
    std::vector<Thread> senders, receivers;
    for (int t = 0; t < kThreads; ++t) {
      receivers.push_back(Spawn([&] {
        while (const auto item = channel.Receive()) ++seen[*item];
      }));
      senders.push_back(Spawn([&, t] {
        for (int i = 0; i < kItems; ++i) {
          EXPECT_EQ(channel.Send(t * kItems + i), Sent::kSent);
        }
      }));
    }
    senders.clear();
    channel.Close();
    receivers.clear();
  });
  outside.join();
  for (const auto& times : seen) ASSERT_EQ(times, 1);
}

TEST_P(ChannelTest, CloseWakesWhoWaitsAndKeepsWhatWasSent) {
  pool_->Run([] {
    Channel<int> full(1), empty(1);
    EXPECT_EQ(full.Send(1), Sent::kSent);
    Thread sender = Spawn([&] { EXPECT_EQ(full.Send(2), Sent::kClosed); });
    Thread receiver = Spawn([&] { EXPECT_EQ(empty.Receive(), std::nullopt); });
    full.Close();
    full.Close();
    empty.Close();
    sender.Join();
    receiver.Join();
    EXPECT_EQ(full.Send(3), Sent::kClosed);
    EXPECT_TRUE(full.IsClosed());
    EXPECT_EQ(full.Receive(), 1);
    EXPECT_EQ(full.Receive(), std::nullopt);
  });
}

TEST_P(ChannelTest, AValueThatWasNotSentIsNotMovedFrom) {
  pool_->Run([] {
    Channel<std::unique_ptr<int>> channel(1);
    EXPECT_EQ(channel.TryReceive(), std::nullopt);
    EXPECT_EQ(channel.TrySend(std::make_unique<int>(1)), Sent::kSent);
    auto item = std::make_unique<int>(2);
    EXPECT_EQ(channel.TrySend(std::move(item)), Sent::kFull);
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(**channel.TryReceive(), 1);
    channel.Close();
    EXPECT_EQ(channel.Send(std::move(item)), Sent::kClosed);
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(*item, 2);
  });
}

// Throws when it is moved, once.
struct Brittle {
  explicit Brittle(int given) : value(given) {}
  Brittle(Brittle&& other) : value(other.value) {
    if (other.throws) {
      other.throws = false;
      throw std::runtime_error("moved");
    }
  }
  Brittle& operator=(Brittle&& other) = delete;
  int value;
  bool throws = false;
};

TEST_P(ChannelTest, AMoveThatThrowsLeavesTheChannelAsItWas) {
  pool_->Run([] {
    Channel<Brittle> channel(1);
    Brittle item(7);
    item.throws = true;
    EXPECT_THROW((void)channel.Send(std::move(item)), std::runtime_error);
    EXPECT_EQ(channel.size(), 0u);
    EXPECT_EQ(channel.Send(std::move(item)), Sent::kSent);
    EXPECT_EQ(channel.Receive()->value, 7);
  });
}

TEST(ChannelDeathTest, AChannelWithoutRoomEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Channel<int>(0), "channel.h:.*room for one item or more");
}

TEST_P(ChannelTest, AFutureIsACell) {
  EXPECT_EQ(pool_->Run([] {
    auto cell = std::make_unique<FullEmptyCell<int>>();
    Thread writer = Spawn([&cell = *cell] { cell.WriteWhenEmpty(42); });
    const int taken = cell->ReadAndEmpty();
    EXPECT_FALSE(cell->IsFull());
    cell.reset();  // While the writer may be about to return.
    writer.Join();
    return taken;
  }),
            42);
}

TEST_P(ChannelTest, EveryValueThatIsWrittenIsTakenOnce) {
  pool_->Run([] {
    constexpr int kThreads = 6, kValues = 200;
    FullEmptyCell<int> cell;
    std::atomic<long> sum{0};
    std::vector<Thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.push_back(Spawn([&] {
        for (int i = 0; i < kValues; ++i) sum += cell.ReadAndEmpty();
      }));
      threads.push_back(Spawn([&, t] {
        for (int i = 0; i < kValues; ++i) cell.WriteWhenEmpty(t * kValues + i);
      }));
    }
    threads.clear();
    constexpr long kAll = kThreads * kValues;
    EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
    EXPECT_FALSE(cell.IsFull());
  });
}

TEST_P(ChannelTest, AllWhoReadFullSeeTheValueThatStays) {
  pool_->Run([] {
    FullEmptyCell<int> cell;
    std::atomic<int> seen{0};
    std::vector<Thread> readers;
    for (int i = 0; i < 50; ++i) readers.push_back(Spawn([&] { seen += cell.ReadFull(); }));
    cell.WriteWhenEmpty(2);
    readers.clear();
    EXPECT_EQ(seen, 100);
    EXPECT_TRUE(cell.IsFull());
  });
}

TEST_P(ChannelTest, ACellThatIsFullOrEmptySaysSo) {
  pool_->Run([] {
    FullEmptyCell<int> cell(1);
    EXPECT_FALSE(cell.TryWriteWhenEmpty(2));
    EXPECT_EQ(cell.TryReadFull(), 1);
    cell.Write(3);
    EXPECT_EQ(cell.TryReadAndEmpty(), 3);
    EXPECT_EQ(cell.TryReadAndEmpty(), std::nullopt);
    EXPECT_EQ(cell.TryReadFull(), std::nullopt);
    EXPECT_TRUE(cell.TryWriteWhenEmpty(4));
    EXPECT_EQ(cell.ReadFull(), 4);
  });
}

}  // namespace
}  // namespace lwt
