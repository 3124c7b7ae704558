// Random programs are what they are when their tasks run one after the other on plain memory.
//
// VICINITY_RANDOM_PROGRAMS: how many. VICINITY_RANDOM_SEED: of the first one, the next has the
// next; or `fresh`.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "taskrt/tests/random_program.h"
#include "tools/random/seeds.h"

namespace taskrt {
namespace {

constexpr std::chrono::minutes kLongest{3};  // of a program, which takes milliseconds

// Ends the test, with the seed, should a program never end. The description of a program is
// printed before the program begins, so that it is there after a crash, too.
class Watchdog {
 public:
  ~Watchdog() {
    Tell({});
    watcher_.join();
  }
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // The program of this seed begins; none: there are no more.
  void Tell(std::optional<std::uint64_t> seed) {
    if (seed) std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(*seed));
    {
      const std::lock_guard lock(mutex_);
      seed_ = seed;
      ++told_;
    }
    changed_.notify_one();
  }

 private:
  void Watch() {
    std::unique_lock lock(mutex_);
    while (told_ == 0 || seed_) {
      const std::uint64_t told = told_;
      if (changed_.wait_for(lock, kLongest, [&] { return told_ != told; })) continue;
      std::fprintf(stderr, "random program %llu does not end\n",
                   static_cast<unsigned long long>(seed_.value_or(0)));
      std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::uint64_t> seed_;  // under mutex_
  std::uint64_t told_ = 0;             // under mutex_
  std::thread watcher_{[this] { Watch(); }};
};

TEST(RandomPrograms, AreAsOnPlainMemory) {
  const std::uint64_t first = random_programs::FirstSeed();
  const std::uint64_t programs = random_programs::Programs(100);
  Watchdog watchdog;
  std::uint64_t lost = 0, wrong = 0;
  for (std::uint64_t seed = first; seed < first + programs && wrong < 10; ++seed) {
    watchdog.Tell(seed);
    RandomProgram program(seed);
    const RandomProgram::End end = program.Run();
    lost += end == RandomProgram::End::kDataLost;
    wrong += end == RandomProgram::End::kWrong;
    EXPECT_NE(end, RandomProgram::End::kWrong) << "seed " << seed << ": " << program.what();
  }
  std::printf("%llu programs ended since only a lost device had some block\n",
              static_cast<unsigned long long>(lost));
  if (programs >= 100) {
    EXPECT_LT(lost, programs * 2 / 5) << "so few reach their end that little is tested";
  }
}

}  // namespace
}  // namespace taskrt
