// The behavior of every conduit, in every mode, with any number of ranks and threads.
// All ranks run each test together.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "llcl/tests/job.h"

namespace llcl {

struct Case {
  Mode mode = Mode::kHybrid;
  int ranks = 2;
  int threads = 1;
};

inline std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const char* const modes[] = {"offload", "direct", "hybrid"};
  return std::string(ConduitName()) + "_" + modes[static_cast<int>(info.param.mode)] + "_" +
         std::to_string(info.param.ranks) + "ranks_" + std::to_string(info.param.threads) +
         "threads";
}

inline std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const int ranks : RankCounts()) {
    for (const Mode mode : {Mode::kOffload, Mode::kDirect, Mode::kHybrid}) {
      for (const int threads : {1, 4}) cases.push_back({mode, ranks, threads});
    }
  }
  return cases;
}

class Conformance : public testing::TestWithParam<Case> {
 protected:
  void Run(const std::function<void(Member&)>& f, const EndpointOptions& options = {}) {
    Run(f, [&](int /*rank*/) { return options; });
  }
  void Run(const std::function<void(Member&)>& f, const OptionsOfRank& options) {
    RunRanks(
        GetParam().ranks,
        [&](int rank) {
          EndpointOptions of_rank = options(rank);
          of_rank.executor.mode = GetParam().mode;
          return of_rank;
        },
        f);
  }
  // Begins an operation and waits for its end.
  template <typename Begin>
  static Outcome Do(Member& member, Begin begin) {
    Flag done;
    const Posted posted = begin(done.completion());
    EXPECT_EQ(posted, Posted::kPosted);
    return posted == Posted::kPosted ? member.endpoint().Wait(done) : Outcome::kAborted;
  }
  // f(thread) on as many threads of this rank as the case has.
  void OnThreads(const std::function<void(int)>& f) {
    std::vector<std::thread> threads;
    for (int i = 0; i < GetParam().threads; ++i) threads.emplace_back(f, i);
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace llcl
