// How the progress thread sleeps on a device that a test controls.
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "llcl/executor/executor.h"
#include "llcl/owned_fd.h"

namespace llcl {
namespace {

using std::chrono_literals::operator""ms;

// Its descriptor never becomes readable.
class QuietDevice final : public Device {
 public:
  std::size_t Post(std::span<const Command>) override { return 0; }
  std::size_t Poll(std::span<Ended>) override {
    ++polls;
    if (is_asked) ++activity_;
    return 0;
  }
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
  std::atomic<int> polls{0}, armings{0};

 private:
  const OwnedFd descriptor_{eventfd(0, EFD_CLOEXEC)};
  std::uint64_t activity_ = 0;
};

struct Fixture {
  Fixture() : executor(std::make_unique<Executor>(device, ExecutorOptions())) {}
  // Returns once the thread sleeps, and has left the device to the caller.
  void StartAndPoll() {
    executor->Start();
    while (!device.is_armed) std::this_thread::sleep_for(1ms);
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
  fixture.executor->EndWaiting(false);
  EXPECT_EQ(fixture.device.armings, armings) << "another still polls";
  fixture.executor->EndWaiting(false);
  EXPECT_EQ(fixture.device.armings, armings + 1);
  EXPECT_EQ(fixture.executor->counts().wakings, 0u);
}

TEST(ExecutorSleep, TheThreadIsWokenWhereTheDeviceHasSomethingAsItIsGivenBack) {
  Fixture fixture;
  fixture.StartAndPoll();
  fixture.device.has_something = true;
  fixture.executor->EndWaiting(false);
  EXPECT_EQ(fixture.executor->counts().wakings, 1u);
}

TEST(ExecutorSleep, AThreadThatFallsAsleepWhileAnotherPollsDoesNotArmTheDevice) {
  Fixture fixture;
  fixture.executor->StartWaiting();
  fixture.executor->Start();
  while (fixture.executor->counts().sleeps < 3) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(fixture.device.armings, 0);
  fixture.executor->EndWaiting(true);
  while (fixture.device.armings == 0) std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace llcl
