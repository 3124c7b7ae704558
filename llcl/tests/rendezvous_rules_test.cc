#include "llcl/launch/rendezvous_rules.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace llcl {
namespace {

using Environment = std::map<std::string, std::string>;

ByHand ReadIn(const Environment& environment) {
  return ReadByHand([&](const char* variable) {
    const auto found = environment.find(variable);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

const Environment kGood = {{"LLCL_RENDEZVOUS", "node1:4096"},
                           {"LLCL_SECRET", "0011"},
                           {"LLCL_RANK", "2"},
                           {"LLCL_SIZE", "4"}};
Environment With(Environment environment, const std::string& variable, const std::string& value) {
  environment[variable] = value;
  return environment;
}

TEST(RendezvousRules, ReadTheEnvironmentOfARank) {
  const ByHand found = ReadIn(kGood);
  EXPECT_TRUE(found.error.ok()) << found.error;
  EXPECT_EQ(found.address, "node1:4096");
  EXPECT_EQ(found.secret, "0011");
  EXPECT_EQ(found.rank, 2);
  EXPECT_EQ(found.size, 4);
  EXPECT_EQ(found.timeout_s, 30);
}

TEST(RendezvousRules, TakeThePodsIndexWhereNoRankIsSet) {
  Environment pod = With(kGood, "JOB_COMPLETION_INDEX", "3");
  EXPECT_EQ(ReadIn(pod).rank, 2);
  EXPECT_EQ(ReadIn(With(pod, "LLCL_RANK", "")).rank, 3);
  pod.erase("LLCL_RANK");
  EXPECT_EQ(ReadIn(pod).rank, 3);
  EXPECT_FALSE(ReadIn(With(pod, "JOB_COMPLETION_INDEX", "x")).error.ok());
}

TEST(RendezvousRules, NameTheVariablesThatAreMissing) {
  for (const auto& [variable, named] : {std::pair("LLCL_RANK", "LLCL_RANK"),
                                        {"LLCL_SIZE", "LLCL_SIZE"},
                                        {"LLCL_SECRET", "LLCL_SECRET is missing"}}) {
    for (const bool is_empty : {false, true}) {
      Environment environment = With(kGood, variable, "");
      if (!is_empty) environment.erase(variable);
      const absl::Status error = ReadIn(environment).error;
      EXPECT_TRUE(absl::IsUnavailable(error)) << variable;
      EXPECT_NE(error.message().find(named), std::string_view::npos) << error;
    }
  }
  for (const char* number : {"-1", "1x", " 1", "99999999999", "+1"}) {
    EXPECT_TRUE(absl::IsUnavailable(ReadIn(With(kGood, "LLCL_RANK", number)).error)) << number;
  }
}

TEST(RendezvousRules, TakeABoundOfSecondsAndRefuseOthers) {
  const auto with = [](const char* timeout) {
    return ReadIn(With(kGood, "LLCL_RENDEZVOUS_TIMEOUT", timeout));
  };
  EXPECT_EQ(with("1").timeout_s, 1);
  EXPECT_EQ(with("86400").timeout_s, 86400);
  EXPECT_EQ(with("").timeout_s, 30);
  for (const char* timeout : {"0", "86401", "5m", "1.5", "-1", " 9", "99999999999"}) {
    EXPECT_EQ(with(timeout).error,
              absl::InvalidArgumentError(std::string("LLCL_RENDEZVOUS_TIMEOUT is ") + timeout +
                                         ": it is a number of seconds from 1 to 86400"));
  }
}

TEST(RendezvousRules, ARankAsksLessOftenTheLongerItHasWaited) {
  EXPECT_EQ(PauseMs(0), 50);
  EXPECT_EQ(PauseMs(500), 50);
  EXPECT_EQ(PauseMs(2000), 200);
  EXPECT_EQ(PauseMs(10'000), 1000);
  EXPECT_EQ(PauseMs(86'400'000), 1000);
}

TEST(RendezvousRules, TheLoopbackHasNamesOfItsOwn) {
  for (const char* const name :
       {"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "job.localhost"}) {
    EXPECT_TRUE(IsLoopbackName(name)) << name;
  }
  for (const char* const name : {"node1", "localhost1", "notlocalhost", ""}) {
    EXPECT_FALSE(IsLoopbackName(name)) << name;
  }
}

TEST(RendezvousRules, Rank0ListensEverywhereOnlyWhereANameLeadsToNoAddressOfItsOwn) {
  EXPECT_TRUE(ListensEverywhere(true, CannotListen::kNotFound));
  EXPECT_TRUE(ListensEverywhere(true, CannotListen::kNotOurs));
  EXPECT_TRUE(ListensEverywhere(true, CannotListen::kOnlyHere));
  EXPECT_FALSE(ListensEverywhere(true, CannotListen::kOtherwise));
  EXPECT_FALSE(ListensEverywhere(false, CannotListen::kNotOurs));
}

}  // namespace
}  // namespace llcl
