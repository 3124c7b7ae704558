// Random programs of many threads and ranks: everything that they saw some legal order of their
// operations explains, each accepted operation completes exactly once, and what is wrong is refused
// and disturbs nothing. tools/random/seeds.h describes how to run others.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "llcl/tests/job.h"
#include "llcl/tests/random_program.h"
#include "llcl/tests/random_rank.h"
#include "tools/random/seeds.h"

namespace llcl {
namespace {

// Ends the process where a program does not end, with what each thread does.
class Watchdog {
 public:
  explicit Watchdog(std::function<std::string()> where) : where_(std::move(where)) {
    thread_ = std::thread([this] {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, kMost, [&] { return has_ended_; })) return;
      std::fprintf(stderr, "the program does not end: %s", where_().c_str());
      std::fflush(stderr);
      std::_Exit(1);
    });
  }
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

 private:
  static constexpr std::chrono::seconds kMost{100};
  std::function<std::string()> where_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

// All modes with one to four threads, twice.
constexpr std::uint64_t kPrograms = 24;

// All ranks run the same.
std::uint64_t FirstSeed() {
  const std::string seed = std::to_string(random_programs::FirstSeed());
  return std::strtoull(OfTheFirstRank(seed).c_str(), nullptr, 10);
}

TEST(RandomPrograms, SeeWhatSomeLegalOrderOfTheirOperationsLeaves) {
  const std::uint64_t first = FirstSeed(), programs = random_programs::Programs(kPrograms);
  std::printf("%llu programs from VICINITY_RANDOM_SEED=%llu on\n",
              static_cast<unsigned long long>(programs), static_cast<unsigned long long>(first));
  for (const int ranks : RankCounts()) {
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      const RandomProgram program = MakeRandomProgram(seed, ranks);
      std::vector<std::unique_ptr<RandomRank>> members;
      for (int rank = 0; rank < ranks; ++rank) {
        members.push_back(std::make_unique<RandomRank>(program, rank));
      }
      const Watchdog watchdog([&] {
        std::string where = "seed " + std::to_string(seed) + "\n";
        for (const auto& member : members) where += member->Where();
        return where;
      });
      RunRanks(
          ranks, [&](int rank) { return members[static_cast<std::size_t>(rank)]->options(); },
          [&](Member& member) { members[static_cast<std::size_t>(member.rank())]->Run(member); },
          seed);
      ASSERT_FALSE(testing::Test::HasFailure())
          << "VICINITY_RANDOM_PROGRAMS=1 VICINITY_RANDOM_SEED=" << seed << " runs it again";
    }
  }
}

}  // namespace
}  // namespace llcl
