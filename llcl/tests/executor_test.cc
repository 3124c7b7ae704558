// The executor over a device that a test controls.
#include "llcl/executor/executor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace llcl {
namespace {

using std::chrono_literals::operator""ms;

// Holds posted commands until a test ends them.
class FakeDevice final : public Device {
 public:
  std::size_t Post(std::span<const Command> commands) override {
    const std::lock_guard lock(mutex_);
    const std::size_t taken = std::min(commands.size(), room);
    for (const Command& command : commands.first(taken)) {
      posted.push_back(command.tag);
      if (ends_at_once) ended_.push_back({command.tag, Outcome::kDone});
    }
    room -= taken;
    batches.push_back(taken);
    return taken;
  }
  std::size_t Poll(std::span<Ended> ended) override {
    const std::lock_guard lock(mutex_);
    ++polls;
    std::size_t count = 0;
    for (; count < ended.size() && !ended_.empty(); ended_.pop_front()) {
      ended[count++] = ended_.front();
    }
    return count;
  }
  void Receive(Inbox&) override {}
  bool IsDown(Rank rank) const override { return ToInt(rank) == down; }
  int losses() const override { return down >= 0 ? 1 : 0; }

  void End(Tag tag, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    ended_.push_back({tag, outcome});
  }

  std::size_t room = 1'000'000;
  bool ends_at_once = false;
  std::atomic<int> down{-1};
  std::atomic<int> polls{0};
  std::vector<Tag> posted;
  std::vector<std::size_t> batches;

 private:
  std::mutex mutex_;
  std::deque<Ended> ended_;
};

// Executors lie on the heap: sanitizers align stacks to less than they need.

// Without a thread: each step is the test's.
ExecutorOptions ByHand(Mode mode) {
  ExecutorOptions options;
  options.mode = mode;
  options.ring = 4;
  options.tags = 8;
  options.has_thread = false;
  return options;
}

// Returns when its progress thread has fallen asleep once more.
void AwaitSleep(const Executor& executor) {
  const std::uint64_t slept = executor.counts().sleeps;
  while (executor.counts().sleeps == slept) std::this_thread::sleep_for(1ms);
}

TEST(Executor, ARingThatIsFullRefusesAndLosesNothing) {
  FakeDevice device;
  device.ends_at_once = true;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kOffload));
  Executor& executor = *owned;
  Counter ended;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kPosted);
  EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kFull);
  EXPECT_EQ(executor.in_flight(), 4u);
  while (executor.TryAdvance()) {
  }
  EXPECT_EQ(ended.ended(), 4u);
  EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kPosted) << "there is room again";
  executor.Close();
  EXPECT_EQ(ended.ended(), 5u);
}

TEST(Executor, WithoutATagItRefusesUntilOneIsBack) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kDirect));
  Executor& executor = *owned;
  Counter ended;
  for (int i = 0; i < 8; ++i) EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kPosted);
  EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kNoTag);
  device.End(device.posted[3], Outcome::kDone);
  (void)executor.TryAdvance();
  EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kPosted);
  for (const Tag tag : std::vector<Tag>(device.posted)) {
    if (tag != device.posted[3]) device.End(tag, Outcome::kDone);
  }
  device.End(device.posted.back(), Outcome::kDone);
  executor.Close();
  EXPECT_EQ(ended.ended(), 9u);
}

TEST(Executor, AfterCloseItRefuses) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kHybrid));
  Executor& executor = *owned;
  executor.Close();
  EXPECT_EQ(executor.TryPost({}, {}), Posted::kClosing);
}

TEST(Executor, TheRingsCommandsArePostedTogether) {
  FakeDevice device;
  device.ends_at_once = true;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kOffload));
  Executor& executor = *owned;
  for (int i = 0; i < 4; ++i) (void)executor.TryPost({}, {});
  (void)executor.TryAdvance();
  EXPECT_EQ(device.batches, std::vector<std::size_t>{4});
  EXPECT_EQ(executor.counts().batches, 1u);
  EXPECT_EQ(executor.counts().posted_from_ring, 4u);
}

TEST(Executor, ACommandThatTheDeviceDoesNotTakeIsPostedAgain) {
  FakeDevice device;
  device.ends_at_once = true;
  device.room = 1;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kHybrid));
  Executor& executor = *owned;
  Counter ended;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kPosted);
  EXPECT_EQ(executor.counts().posted_by_callers, 1u);
  (void)executor.TryAdvance();
  EXPECT_EQ(ended.ended(), 1u);
  device.room = 100;
  (void)executor.TryAdvance();
  EXPECT_EQ(ended.ended(), 4u);
}

TEST(Executor, AnOverdueOperationEndsLateAndItsEndIsNotReportedAgain) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kDirect));
  Executor& executor = *owned;
  Flag first, second;
  EXPECT_EQ(executor.TryPost({}, first.completion(), 20), Posted::kPosted);
  EXPECT_EQ(executor.TryPost({}, second.completion(), 0), Posted::kPosted);
  while (!first.done()) (void)executor.TryAdvance();
  EXPECT_EQ(first.outcome(), Outcome::kLate);
  EXPECT_FALSE(second.done()) << "it has no deadline";
  first.Reset();
  for (const Tag tag : device.posted) device.End(tag, Outcome::kDone);
  executor.Close();
  EXPECT_EQ(second.outcome(), Outcome::kDone);
  EXPECT_FALSE(first.done());
}

// Whatever else comes in: traffic does not hold deadlines up.
TEST(Executor, AnOverdueOperationEndsLateAmongOthersThatDoNotStopEnding) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kDirect));
  Executor& executor = *owned;
  Flag late;
  EXPECT_EQ(executor.TryPost({}, late.completion(), 20), Posted::kPosted);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!late.done() && std::chrono::steady_clock::now() < until) {
    EXPECT_EQ(executor.TryPost({}, {}), Posted::kPosted);
    device.End(device.posted.back(), Outcome::kDone);
    (void)executor.TryAdvance();
  }
  ASSERT_TRUE(late.done());
  EXPECT_EQ(late.outcome(), Outcome::kLate);
  device.End(device.posted.front(), Outcome::kDone);
  executor.Close();
}

TEST(Executor, ReleasedIsCalledWhenTheDeviceIsDoneAlsoForOperationsThatWereGivenUp) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kDirect));
  Executor& executor = *owned;
  Flag then, released;
  EXPECT_EQ(executor.TryPost({}, then.completion(), 20, released.completion()), Posted::kPosted);
  while (!then.done()) (void)executor.TryAdvance();
  EXPECT_FALSE(released.done());
  EXPECT_EQ(executor.overdue(), 1u);
  device.End(device.posted[0], Outcome::kDone);
  while (!released.done()) (void)executor.TryAdvance();
  EXPECT_EQ(executor.overdue(), 0u);

  Flag given_up;
  released.Reset();
  ExecutorOptions offload = ByHand(Mode::kOffload);
  device.room = 0;
  const auto other = std::make_unique<Executor>(device, offload);
  EXPECT_EQ(other->TryPost({}, given_up.completion(), 1, released.completion()), Posted::kPosted);
  other->Abort();
  while (!given_up.done()) (void)other->TryAdvance();
  device.room = 10;
  while (!released.done()) {
    (void)other->TryAdvance();
    for (std::size_t i = 1; i < device.posted.size(); ++i)
      device.End(device.posted[i], Outcome::kDone);
    device.posted.resize(1);
  }
  executor.Close();
  other->Close();
}

// Others may use this rank's memory, and need its progress, without a word to it.
TEST(Executor, AnIdleThreadLooksOftenAtADeviceThatCannotWakeIt) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ExecutorOptions());
  owned->Start();
  while (owned->counts().sleeps == 0) std::this_thread::sleep_for(1ms);
  const int before = device.polls;
  while (device.polls < before + 5) std::this_thread::sleep_for(1ms);
  const std::uint64_t slept = owned->counts().sleeps;
  EXPECT_GE(slept, 1u);
  owned->Close();
}

TEST(Executor, OperationsInFlightToALostRankEnd) {
  FakeDevice device;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kDirect));
  Executor& executor = *owned;
  Flag lost, other;
  Command command;
  command.peer = Rank{1};
  EXPECT_EQ(executor.TryPost(command, lost.completion()), Posted::kPosted);
  command.peer = Rank{2};
  EXPECT_EQ(executor.TryPost(command, other.completion()), Posted::kPosted);
  device.down = 1;
  while (!lost.done()) (void)executor.TryAdvance();
  EXPECT_EQ(lost.outcome(), Outcome::kPeerDown);
  EXPECT_FALSE(other.done());
  device.End(device.posted[1], Outcome::kDone);
  executor.Close();
}

TEST(Executor, AnAbortEndsAllAndWhatWasInTheRingIsNotPosted) {
  FakeDevice device;
  device.room = 1;
  const auto owned = std::make_unique<Executor>(device, ByHand(Mode::kOffload));
  Executor& executor = *owned;
  Counter ended;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(executor.TryPost({}, ended.completion()), Posted::kPosted);
  executor.Abort();
  EXPECT_EQ(executor.TryPost({}, {}), Posted::kClosing);
  executor.Close();
  EXPECT_EQ(ended.ended(), 3u);
  EXPECT_EQ(ended.failed(), 3u);
}

TEST(Executor, EachThreadHasALaneOfItsOwnWhereThereAreSeveral) {
  FakeDevice device;
  device.ends_at_once = true;
  ExecutorOptions options = ByHand(Mode::kOffload);
  options.lanes = 2;
  const auto owned = std::make_unique<Executor>(device, options);
  Executor& executor = *owned;
  Counter ended;
  const auto fill = [&] {
    int posted = 0;
    while (executor.TryPost({}, ended.completion()) == Posted::kPosted) ++posted;
    return posted;
  };
  EXPECT_EQ(fill(), 4);
  // The next two threads' numbers differ by one: one of them has the other lane.
  int by_others = 0;
  for (int i = 0; i < 2; ++i) std::thread([&] { by_others += fill(); }).join();
  EXPECT_EQ(by_others, 4);
  executor.Close();
  EXPECT_EQ(ended.ended(), 8u);
}

TEST(Executor, ACommandInAnyLaneWakesTheSleepingThread) {
  FakeDevice device;
  device.ends_at_once = true;
  ExecutorOptions options;
  options.mode = Mode::kOffload;
  options.lanes = 3;
  const auto owned = std::make_unique<Executor>(device, options);
  Executor& executor = *owned;
  executor.Start();
  // Under load the thread may be awake again before the command comes.
  for (int i = 0; i < 6 || executor.counts().wakings < 3; ++i) {
    ASSERT_LT(i, 10'000);
    AwaitSleep(executor);
    std::thread([&] {
      Flag done;
      EXPECT_EQ(executor.TryPost({}, done.completion()), Posted::kPosted);
      done.SleepUntilDone();
    }).join();
  }
  executor.Close();
}

// The thread sleeps, and the device has no descriptor to wake it by.
TEST(Executor, ACommandPostedWhileTheThreadSleepsIsCompletedByIt) {
  FakeDevice device;
  device.ends_at_once = true;
  ExecutorOptions options;
  options.mode = Mode::kDirect;
  const auto owned = std::make_unique<Executor>(device, options);
  Executor& executor = *owned;
  executor.Start();
  // Under load the thread may be awake again before the command comes.
  for (int i = 0; executor.counts().wakings == 0; ++i) {
    ASSERT_LT(i, 10'000);
    AwaitSleep(executor);
    Flag done;
    EXPECT_EQ(executor.TryPost({}, done.completion()), Posted::kPosted);
    done.SleepUntilDone();
  }
  EXPECT_EQ(executor.counts().wakings, 1u);
  executor.Close();
}

TEST(Executor, OnlyTheFirstCommandOfManyWakesASleepingThread) {
  FakeDevice device;
  device.ends_at_once = true;
  ExecutorOptions options;
  options.mode = Mode::kOffload;
  const auto owned = std::make_unique<Executor>(device, options);
  Executor& executor = *owned;
  executor.Start();
  for (int round = 0; executor.counts().wakings == 0; ++round) {
    ASSERT_LT(round, 10'000);
    AwaitSleep(executor);
    Counter ended;
    for (int i = 0; i < 100; ++i) (void)executor.TryPost({}, ended.completion());
    ended.SleepUntilDone(100);
  }
  // The thread may have slept again in between.
  EXPECT_LE(executor.counts().wakings, executor.counts().sleeps);
  executor.Close();
}

}  // namespace
}  // namespace llcl
