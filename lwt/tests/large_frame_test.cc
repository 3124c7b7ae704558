// Frames of functions that are larger than a guard, in a program that is compiled with
// -fstack-clash-protection as the README says.
#include <gtest/gtest.h>

#include <cstddef>

#include "lwt/lwt.h"

namespace lwt {
namespace {

constexpr std::size_t kStackBytes = 64 << 10;
// More than a stack and its guard: without the flag the next stack's memory is written to.
constexpr std::size_t kFrameBytes = 160 << 10;

[[gnu::noinline]] int FrameOfKnownSize(int value) {
  volatile char frame[kFrameBytes];
  frame[0] = static_cast<char>(value);
  return frame[0];
}

[[gnu::noinline]] int FrameOfAnySize(std::size_t bytes) {
  auto* const frame = static_cast<volatile char*>(__builtin_alloca(bytes));
  frame[0] = 1;
  return frame[0];
}

template <typename F>
void RunAmongOthers(F f) {
  const auto pool = *Pool::Create({.workers = 1, .stack_bytes = kStackBytes});
  pool->Run([&] {
    // A thread that waits, so that there is a stack below.
    Event go;
    Thread other = Spawn([&] { go.Wait(); });
    Thread large = Spawn(f, {.name = "the large one"});
    large.Join();
    go.Set();
    other.Join();
  });
}

class LargeFrameDeathTest : public testing::Test {
 protected:
  LargeFrameDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LargeFrameDeathTest, AFrameThatIsLargerThanTheGuardIsReported) {
  EXPECT_DEATH(RunAmongOthers([] { FrameOfKnownSize(1); }),
               "stack overflow in thread \"the large one\" \\(depth 1");
}

TEST_F(LargeFrameDeathTest, AFrameWhoseSizeIsKnownAsItRunsIsReported) {
  EXPECT_DEATH(RunAmongOthers([] { FrameOfAnySize(kFrameBytes); }),
               "stack overflow in thread \"the large one\" \\(depth 1");
}

TEST_F(LargeFrameDeathTest, AFrameThatFitsIsNone) {
  int got = 0;
  RunAmongOthers([&] { got = FrameOfAnySize(kStackBytes / 2); });
  EXPECT_EQ(got, 1);
}

}  // namespace
}  // namespace lwt
