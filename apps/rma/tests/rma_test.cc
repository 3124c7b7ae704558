// The program as a user starts it: ranks of its own, exit codes, sentences, JSON.
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
  ExpectRefused({"--conduit=verbs"}, "\"verbs\" is none of smp, tcp, ofi, mixed, all");
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
  ExpectRefused({"--ranks=1"}, "--ranks");
  ExpectRefused({"--collectives=gossip"},
                "\"gossip\" is none of barrier, broadcast, allgather, allreduce, alltoall, all");
  ExpectRefused({"--collective-bytes=8,12"}, "\"12\" is not a multiple of 8 from 8 to 8388608");
  ExpectRefused({"--collective-bytes=8388616"}, "\"8388616\" is not");
  ExpectRefused({"--figure=collectives"}, "--figure=collectives: there are none");
  ExpectRefused({"--collectives=all", "--figure=collectives", "--svg=x.svg"}, "15 lines");
  ExpectRefused({"--mode=simulated", "--collectives=all"},
                "--collectives means nothing to --mode=simulated");
  ExpectRefused({"--mode=simulated", "--ranks=4"}, "--ranks means nothing to --mode=simulated");
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

TEST(RmaTest, MixedHasAPairInsideAHostAndAPairBeyondIt) {
  const Outcome outcome = Rma({"--conduit=mixed", "--threads=1,2", "--bytes=8", "--repetitions=1",
                               "--seconds=0.005", "--json=-"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["parameters"]["ranks"], 4);
  std::map<std::string, int> series;
  for (const auto& row : json["results"]) {
    ++series[std::string(row["conduit"]) + "/" + std::string(row["offload"]) + "/" +
             std::string(row["way"])];
    EXPECT_GE(row["latency_ns"], row["overhead_ns"]);
  }
  const std::map<std::string, int> expected = {{"mixed/direct/beyond", 2},
                                               {"mixed/hybrid/beyond", 2},
                                               {"mixed/in-place/inside", 2},
                                               {"mixed/offload/beyond", 2}};
  EXPECT_EQ(series, expected);
}

TEST(RmaTest, MixedNeedsBothPairs) {
  const Outcome outcome = Rma({"--conduit=mixed", "--ranks=2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("rma: --conduit=mixed: the first rank has a rank on its "
                                       "host, and a rank on another host"));
}

TEST(RmaTest, CollectivesAreRowsBySizeBesideTheReads) {
  const Outcome outcome = Rma(
      {"--conduit=mixed,smp", "--offload=hybrid", "--threads=1", "--bytes=8", "--repetitions=2",
       "--seconds=0.001", "--collectives=all", "--collective-bytes=8,32768,262144", "--json=-"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto json = nlohmann::json::parse(outcome.output);
  std::map<std::string, int> reads, collectives;
  for (const auto& row : json["results"]) {
    const std::string conduit = row["conduit"];
    if (!row.contains("collective")) {
      ++reads[conduit];
      continue;
    }
    ++collectives[conduit + "/" + std::string(row["collective"])];
    EXPECT_EQ(row["ranks"], 4);
    EXPECT_EQ(row["repetitions"], 2);
    EXPECT_GT(row["latency_ns"], 0);
    EXPECT_EQ(row.contains("bytes_per_s"), row["collective"] != "barrier");
  }
  EXPECT_EQ(reads, (std::map<std::string, int>{{"mixed", 2}, {"smp", 1}}));
  std::map<std::string, int> expected;
  for (const std::string conduit : {"mixed/", "smp/"}) {
    expected[conduit + "barrier"] = 1;
    for (const char* name : {"broadcast", "allgather", "allreduce", "alltoall"}) {
      expected[conduit + name] = 3;
    }
  }
  EXPECT_EQ(collectives, expected);
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
