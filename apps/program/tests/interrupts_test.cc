#include "apps/program/interrupts.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace program {
namespace {

TEST(Interrupts, TheFirstSignalIsAQuestion) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Interrupts interrupts;
    EXPECT_FALSE(Interrupts::WasAsked());
    raise(signal);
    EXPECT_TRUE(Interrupts::WasAsked());
  }
}

TEST(InterruptsDeathTest, TheSecondSignalEndsTheProgram) {
  const Interrupts interrupts;
  EXPECT_EXIT(
      {
        raise(SIGTERM);
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptsDeathTest, TheSecondSignalMayBeOfTheOtherKind) {
  const Interrupts interrupts;
  EXPECT_EXIT(
      {
        raise(SIGINT);
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptsDeathTest, AnIgnoredSignalStaysIgnoredAndOtherHandlersComeBack) {
  signal(SIGINT, SIG_IGN);
  {
    const Interrupts interrupts;
    raise(SIGINT);
    EXPECT_FALSE(Interrupts::WasAsked());
  }
  signal(SIGINT, SIG_DFL);
  { const Interrupts interrupts; }
  EXPECT_EXIT(raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace program
