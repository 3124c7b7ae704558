// How the progress thread sleeps on a device that a test controls.
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "llcl/executor/executor.h"
#include "llcl/owned_fd.h"

namespace llcl {
namespace {

using std::chrono_literals::operator""ms;

// Its descriptor never becomes readable.
class QuietDevice final : public Device {
 public:
  std::size_t Post(std::span<const Command> commands) override {
    for (const Command& command : commands) posted_.push_back({command.tag, Outcome::kDone});
    return commands.size();
  }
  std::size_t Poll(std::span<Ended> ended) override {
    if (is_asked) ++activity_;
    const std::size_t count = posted_.size();
    std::copy(posted_.begin(), posted_.end(), ended.begin());
    posted_.clear();
    return count;
  }
  Left Release() override { return left; }
  std::uint64_t activity() const override { return activity_; }
  void Receive(Inbox&) override {}
  bool IsDown(Rank) const override { return false; }
  int losses() const override { return 0; }
  int wait_descriptor() const override { return descriptor_.get(); }
  bool TryArm() override {
    is_armed = !has_something;
    if (is_armed) ++armings;
    return is_armed;
  }
  bool Disarm() override {
    is_armed = false;
    return true;
  }

  std::atomic<bool> is_asked{false};  // something comes from another rank before each poll
  std::atomic<bool> has_something{false};
  std::atomic<bool> is_armed{false};
  std::atomic<Left> left{Left::kNothing};
  std::atomic<int> armings{0};

 private:
  std::vector<Ended> posted_;
  const OwnedFd descriptor_{eventfd(0, EFD_CLOEXEC)};
  std::uint64_t activity_ = 0;
};

struct Fixture {
  Fixture() : executor(std::make_unique<Executor>(device, ExecutorOptions())) {}
  // Returns once the thread sleeps, without the executor's lock.
  void Start() {
    executor->Start();
    while (executor->counts().sleeps == 0) std::this_thread::sleep_for(1ms);
  }
  // And once it has left the device to the caller.
  void StartAndPoll() {
    Start();
    executor->StartWaiting();
    EXPECT_FALSE(device.is_armed);
  }

  QuietDevice device;
  std::unique_ptr<Executor> executor;
};

TEST(ExecutorSleep, AThreadThatServesOthersDoesNotSleep) {
  Fixture fixture;
  fixture.device.is_asked = true;
  fixture.executor->Start();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(fixture.executor->counts().sleeps, 0u);
  fixture.device.is_asked = false;
  while (fixture.executor->counts().sleeps == 0) std::this_thread::sleep_for(1ms);
}

TEST(ExecutorSleep, TheDeviceIsLeftToThoseWhoPollAndGivenBackByTheLast) {
  Fixture fixture;
  fixture.StartAndPoll();
  const int armings = fixture.device.armings;
  fixture.executor->StartWaiting();
  fixture.executor->EndWaiting(Wait::kShort);
  EXPECT_EQ(fixture.device.armings, armings) << "another still polls";
  fixture.executor->EndWaiting(Wait::kShort);
  EXPECT_EQ(fixture.device.armings, armings + 1);
  EXPECT_EQ(fixture.executor->counts().wakings, 0u);
}

TEST(ExecutorSleep, TheThreadIsWokenWhereTheDeviceHasSomethingAsItIsGivenBack) {
  Fixture fixture;
  fixture.StartAndPoll();
  fixture.device.has_something = true;
  fixture.executor->EndWaiting(Wait::kShort);
  EXPECT_EQ(fixture.executor->counts().wakings, 1u);
}

TEST(ExecutorSleep, ACallerWakesTheThreadForWhatItLeavesToAPoll) {
  using Left = Device::Left;
  struct Case {
    Left left;
    bool reports;
    std::uint64_t wakings;
  };
  for (const Case& want : {Case{Left::kNothing, true, 0}, Case{Left::kEnds, false, 0},
                           Case{Left::kEnds, true, 1}, Case{Left::kMore, false, 1}}) {
    Fixture fixture;
    fixture.Start();
    fixture.device.left = want.left;
    Flag done;
    const Completion then = want.reports ? done.completion() : Completion();
    ASSERT_EQ(fixture.executor->TryPost({.kind = CommandKind::kMessage}, then), Posted::kPosted);
    EXPECT_EQ(fixture.executor->counts().wakings, want.wakings);
    fixture.executor->Close();
  }
}

TEST(ExecutorSleep, ACallerWakesNoThreadWhileAnotherPolls) {
  for (const Device::Left left : {Device::Left::kEnds, Device::Left::kMore}) {
    Fixture fixture;
    fixture.StartAndPoll();
    fixture.device.left = left;
    Flag done;
    ASSERT_EQ(fixture.executor->TryPost({.kind = CommandKind::kMessage}, done.completion()),
              Posted::kPosted);
    EXPECT_EQ(fixture.executor->counts().wakings, 0u);
    fixture.device.has_something = true;
    fixture.executor->EndWaiting(Wait::kShort);
    EXPECT_EQ(fixture.executor->counts().wakings, 1u) << "it is given back with that";
    fixture.executor->Close();
  }
}

// Its descriptor does not become readable for what has come already.
TEST(ExecutorSleep, AStepOfAThreadThatLeavesWakesTheThreadForTheRest) {
  Fixture fixture;
  fixture.Start();
  fixture.device.is_asked = true;
  EXPECT_TRUE(fixture.executor->TryAdvance());
  EXPECT_EQ(fixture.executor->counts().wakings, 0u) << "there is no rest";
  fixture.device.has_something = true;
  EXPECT_TRUE(fixture.executor->TryAdvance());
  EXPECT_EQ(fixture.executor->counts().wakings, 1u);
  fixture.device.is_asked = false;
}

TEST(ExecutorSleep, AThreadThatFallsAsleepWhileAnotherPollsDoesNotArmTheDevice) {
  Fixture fixture;
  fixture.executor->StartWaiting();
  fixture.executor->Start();
  while (fixture.executor->counts().sleeps < 3) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(fixture.device.armings, 0);
  fixture.executor->EndWaiting(Wait::kLong);
  while (fixture.device.armings == 0) std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace llcl
