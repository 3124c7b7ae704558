// Random programs are what they are when their tasks run one after the other on plain memory.
//
// VICINITY_RANDOM_PROGRAMS: how many. VICINITY_RANDOM_SEED: of the first one, the next has the
// next; or `fresh`.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>

#include "taskrt/tests/random_program.h"
#include "tools/random/seeds.h"

namespace taskrt {
namespace {

TEST(RandomPrograms, AreAsOnPlainMemory) {
  const std::uint64_t first = random_programs::FirstSeed();
  const std::uint64_t programs = random_programs::Programs(100);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + programs - 1));
  std::uint64_t lost = 0, wrong = 0;
  for (std::uint64_t seed = first; seed < first + programs && wrong < 10; ++seed) {
    RandomProgram program(seed);
    const RandomProgram::End end = program.Run();
    lost += end == RandomProgram::End::kDataLost;
    wrong += end == RandomProgram::End::kWrong;
    EXPECT_NE(end, RandomProgram::End::kWrong) << "seed " << seed << ": " << program.what();
  }
  std::printf("%llu programs ended since only a lost device had some block\n",
              static_cast<unsigned long long>(lost));
  if (programs >= 100) {
    EXPECT_LT(lost, programs / 4) << "so few reach their end that little is tested";
  }
}

}  // namespace
}  // namespace taskrt
