// The program as a user starts it: two ranks of its own, exit codes, sentences, JSON.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "apps/program/tests/run_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using program::Outcome;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Outcome Rma(std::vector<std::string> flags) {
  return program::RunProgram("apps/rma/rma", std::move(flags));
}

void ExpectRefused(const std::vector<std::string>& flags, const std::string& part) {
  const Outcome outcome = Rma(flags);
  EXPECT_EQ(outcome.code, 2) << flags.back();
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.error, StartsWith("rma: "));
  EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
}

TEST(RmaTest, AMistakeIsOneSentenceAndExitCodeTwo) {
  ExpectRefused({"--conduit=verbs"}, "\"verbs\" is none of smp, tcp, ofi, all");
  ExpectRefused({"--offload=never"}, "\"never\" is none of direct, offload, hybrid, all");
  ExpectRefused({"--mode=simulated", "--offload=hybrid"}, "none of direct, offload, all");
  ExpectRefused({"--mode=simulated", "--network=ethernet"}, "none of tofu, infiniband, all");
  ExpectRefused({"--mode=simulated", "--seconds=1"}, "--seconds means nothing to --mode=simulated");
  ExpectRefused({"--network=tofu"}, "--network means nothing to --mode=real");
  ExpectRefused({"--bytes=8,0"}, "--bytes: \"0\"");
  ExpectRefused({"--threads=1,none"}, "none");
  ExpectRefused({"--threads=257"}, "--threads=257 is above 256");
  ExpectRefused({"--bytes=8,16,32,64", "--svg=x.svg"}, "28 lines");
  ExpectRefused({"--json=/nosuch/x"}, "/nosuch/x");
  ExpectRefused({"--mode=simulated", "--network=tofu", "--offload=direct", "--threads=2"},
                "may be called by one thread");
}

TEST(RmaTest, ItStartsTwoRanksItselfAndMeasuresEachPointOfTheSweep) {
  const Outcome outcome =
      Rma({"--threads=1,3", "--bytes=8,100", "--repetitions=2", "--seconds=0.005", "--json=-"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["app"], "rma");
  EXPECT_EQ(json["verified"], true);
  std::map<std::string, int> series;
  std::set<int> threads, bytes;
  for (const auto& row : json["results"]) {
    ++series[std::string(row["conduit"]) + "/" + std::string(row["offload"])];
    threads.insert(row["threads"].get<int>());
    bytes.insert(row["bytes"].get<int>());
    EXPECT_EQ(row["repetitions"], 2);
    EXPECT_GT(row["overhead_ns"], 0);
    EXPECT_GE(row["latency_ns"], row["overhead_ns"]);
    EXPECT_TRUE(row.contains("messages_per_s"));
  }
  const std::map<std::string, int> expected = {
      {"ofi/direct", 4}, {"ofi/hybrid", 4}, {"ofi/offload", 4}, {"smp/in-place", 4},
      {"tcp/direct", 4}, {"tcp/hybrid", 4}, {"tcp/offload", 4}};
  EXPECT_EQ(series, expected);
  EXPECT_EQ(threads, (std::set<int>{1, 3}));
  EXPECT_EQ(bytes, (std::set<int>{8, 100}));
}

TEST(RmaTest, AProviderThatIsNotThereEndsBothRanks) {
  const Outcome outcome = Rma({"--conduit=ofi", "--provider=nosuch"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.error, HasSubstr("rma: cannot find libfabric's provider nosuch"));
}

TEST(RmaTest, SimulatedNetworksNeedNoRanksAndAlwaysGiveTheSame) {
  const std::vector<std::string> flags = {"--mode=simulated", "--bytes=8", "--json=-"};
  const Outcome outcome = Rma(flags);
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto json = nlohmann::json::parse(outcome.output);
  // Tofu's own functions by one thread, all others by eight numbers of threads.
  EXPECT_EQ(json["results"].size(), 1u + 3 * 8);
  for (const auto& row : json["results"]) EXPECT_EQ(row["simulated"], true);
  EXPECT_EQ(nlohmann::json::parse(Rma(flags).output)["results"], json["results"]);
}

}  // namespace
