// The stacks that reports of deadlocks and stalls print.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// Functions that stay frames of their own.
[[gnu::noinline]] int WaitsForEver(Event& never) {
  never.Wait("what never comes");
  asm volatile("");
  return 1;
}
[[gnu::noinline]] int CallsTheWaiter(Event& never) {
  const int ended = WaitsForEver(never);
  asm volatile("");
  return ended + 1;
}

void Stick(int threads) {
  Event never;
  std::vector<Thread> stuck;
  for (int i = 0; i < threads; ++i) {
    stuck.push_back(Spawn([&never] { CallsTheWaiter(never); }, {.name = "the stuck one"}));
  }
  for (Thread& thread : stuck) thread.Join();
}

// For addr2line.
const std::string kPlace = " \\([^ ]*blocked_stacks_test\\+0x[0-9a-f]+\\)\n";

class BlockedStacksDeathTest : public testing::Test {
 protected:
  BlockedStacksDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BlockedStacksDeathTest, ADeadlockShowsTheFunctionsOfEachThread) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 2, .woken_from_outside = false});
        pool->Run([] { Stick(1); });
      },
      AllOf(HasSubstr("the stuck one (depth 1) waits for what never comes\n"),
            ContainsRegex("the stuck one \\(depth 1\\):\n(  #.*\n)*  #[0-9]+ .*WaitsForEver.*" +
                          kPlace + "  #[0-9]+ .*CallsTheWaiter.*" + kPlace),
            ContainsRegex("Pool::Run \\(depth 0\\):\n(  #.*\n)*  #[0-9]+ .*Stick.*\n")));
}

TEST_F(BlockedStacksDeathTest, ManyThreadsAreShownInPart) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 2, .woken_from_outside = false});
        pool->Run([] { Stick(99); });
      },
      HasSubstr("(84 more stacks: gdb's `lwt threads`, lwt/gdb)\n"));
}

TEST_F(BlockedStacksDeathTest, APoolThatForgotAThreadShowsWhereItIs) {
  EXPECT_DEATH(
      {
        static Event never;
        const auto pool = *Pool::Create({.workers = 1});
        static Thread forgotten;
        pool->Run([] { forgotten = Spawn([] { CallsTheWaiter(never); }); });
      },
      ContainsRegex("still wait:\n.*\n(.*\n)*  #[0-9]+ .*CallsTheWaiter"));
}

// Outsiders wake threads while stacks are read: a worker that wakes for them waits for the end of
// the report. Each thread looks at its own frame once it runs.
TEST(BlockedStacks, AThreadThatIsWokenMeanwhileRunsAfterwards) {
  using namespace std::chrono_literals;
  constexpr int kRounds = 300;
  const auto pool = *Pool::Create({.workers = 2, .stall_report_after = 1us});
  std::vector<Event> ready(kRounds), go(kRounds);
  std::thread outside([&] {
    for (int i = 0; i < kRounds; ++i) {
      const auto i_th = static_cast<std::size_t>(i);
      ready[i_th].Wait();
      // From at once to after the report.
      std::this_thread::sleep_for(std::chrono::microseconds(i % 50 * 40));
      go[i_th].Set();
    }
  });
  testing::internal::CaptureStderr();
  int sum = 0;
  pool->Run([&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      ready[i].Set();
      sum += WaitsForEver(go[i]);
    }
  });
  outside.join();
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(sum, kRounds);
  EXPECT_THAT(printed, ContainsRegex("a stall: (.*\n)*  #[0-9]+ .*WaitsForEver"));
}

}  // namespace
}  // namespace lwt
