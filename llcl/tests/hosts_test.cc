#include "llcl/start/hosts.h"

#include <gtest/gtest.h>

namespace llcl {
namespace {

std::string ErrorOf(const std::string& text) {
  return std::string(ParseHostFile(text, "hosts").status().message());
}

TEST(Hosts, AFileHasALineForEachMachine) {
  const auto hosts =
      ParseHostFile("# ours\nnode1 slots=4\n\n  node2   # one\n10.0.0.3 slots=1\n", "hosts");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_EQ(*hosts, (std::vector<HostSlots>{{"node1", 4}, {"node2", 1}, {"10.0.0.3", 1}}));
}

TEST(Hosts, AFileIsReadAsOtherLaunchersWriteIt) {
  const auto hosts = ParseHostFile(
      "node1:4\nnode2 slots=2 max_slots=8\nnode3 max-slots=2\nfd00::1 slots=3\n", "hosts");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_EQ(*hosts,
            (std::vector<HostSlots>{{"node1", 4}, {"node2", 2}, {"node3", 1}, {"fd00::1", 3}}));
}

TEST(Hosts, AListHasHostsWithTheirSlots) {
  const auto hosts = ParseHosts("a, b:2,fd00::1");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_EQ(*hosts, (std::vector<HostSlots>{{"a", 1}, {"b", 2}, {"fd00::1", 1}}));
  for (const char* const wrong : {"", ",", "a,", "a:0", "a:x", "a:5000", ":4", "-o", "a,-o:2"}) {
    EXPECT_FALSE(ParseHosts(wrong).ok()) << wrong;
  }
  EXPECT_EQ(ParseHosts("a,b:x").status().message(),
            "'b:x': expected HOST or HOST:N, N from 1 to 4096");
}

TEST(Hosts, AnAddressOfIpv6HasItsSlotsBehindBrackets) {
  const auto hosts = ParseHosts("::1,[fd00::1],[fd00::2]:4,me@[fd00::3]:2,me@fd00::4,fe80::1%eth0");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_EQ(*hosts, (std::vector<HostSlots>{{"::1", 1},
                                            {"fd00::1", 1},
                                            {"fd00::2", 4},
                                            {"me@fd00::3", 2},
                                            {"me@fd00::4", 1},
                                            {"fe80::1%eth0", 1}}));
  for (const char* const wrong : {"[", "[]", "[::1", "[::1]4", "[::1]:", "[::1]:0", "[a]:2",
                                  "a:b:c", "me@", "me@:2", "::1]:4", "[::1]]"}) {
    EXPECT_FALSE(ParseHosts(wrong).ok()) << wrong;
  }
}

TEST(Hosts, TheRanksMeetAtAMachineNotAUser) {
  EXPECT_EQ(WithoutUser("me@node1"), "node1");
  EXPECT_EQ(WithoutUser("node1"), "node1");
  EXPECT_EQ(FormatAddress("node1", 7), "node1:7");
  EXPECT_EQ(FormatAddress("fd00::1", 7), "[fd00::1]:7");
  EXPECT_TRUE(IsLoopbackHost("::1"));
  EXPECT_FALSE(IsLoopbackHost("node1"));
}

TEST(Hosts, SaysWhichLineIsWrong) {
  EXPECT_EQ(ErrorOf("node1\nnode2 slots=0"),
            "hosts:2: 'slots=0': expected slots=N, N from 1 to 4096");
  EXPECT_EQ(ErrorOf("node1 slots=4x"), "hosts:1: 'slots=4x': expected slots=N, N from 1 to 4096");
  EXPECT_EQ(ErrorOf("node1 node2"), "hosts:1: 'node2': expected slots=N, N from 1 to 4096");
  EXPECT_EQ(ErrorOf("\n-oProxyCommand=x"), "hosts:2: '-oProxyCommand=x' is no host");
  EXPECT_EQ(ErrorOf("node1:0"), "hosts:1: 'node1:0' is no host");
  EXPECT_EQ(ErrorOf("node1 max_slots=x"),
            "hosts:1: 'max_slots=x': expected slots=N, N from 1 to 4096");
  EXPECT_EQ(ErrorOf("# none\n"), "hosts: there is no host in it");
}

TEST(Hosts, SlotsAreFilledInOrder) {
  const std::vector<HostSlots> hosts = {{"a", 2}, {"b", 1}, {"c", 3}};
  EXPECT_EQ(*AssignRanks(hosts, 4), (std::vector<std::string>{"a", "a", "b", "c"}));
  EXPECT_EQ(AssignRanks(hosts, 0)->size(), 6u);
  EXPECT_EQ(AssignRanks(hosts, 7).status().message(),
            "7 ranks, but the hosts have 6 slots; HOST:N gives a host more");
}

TEST(Hosts, EachHasOneProxyForItsRanks) {
  EXPECT_EQ(GroupByHost({"a", "a", "b", "a"}),
            (std::vector<HostRanks>{{"a", {0, 1, 3}}, {"b", {2}}}));
}

TEST(Hosts, AProxyRunsTheProgramsOfItsRanks) {
  const std::vector<Program> all = {{2, {"a"}}, {1, {"b", "x"}}, {3, {"a"}}};
  EXPECT_EQ(ProgramsOf({0, 1, 2, 3, 4, 5}, all), all);
  EXPECT_EQ(ProgramsOf({1, 2, 5}, all),
            (std::vector<Program>{{1, {"a"}}, {1, {"b", "x"}}, {1, {"a"}}}));
  EXPECT_EQ(ProgramsOf({3, 5}, all), (std::vector<Program>{{2, {"a"}}}));
}

TEST(Hosts, RanksAreWrittenAsRanges) {
  for (const std::vector<int>& ranks :
       {std::vector<int>{0}, {0, 1, 2, 3, 7}, {1, 3, 5}, {4, 5, 8, 9}}) {
    const std::string text = FormatRanks(ranks);
    EXPECT_EQ(*ParseRanks(text), ranks) << text;
  }
  EXPECT_EQ(FormatRanks({0, 1, 2, 3, 7}), "0-3,7");
  for (const char* const wrong : {"", ",", "1,", "x", "3-1", "-1", "0-5000", "1-"}) {
    EXPECT_FALSE(ParseRanks(wrong).ok()) << wrong;
  }
}

TEST(Hosts, WordsOfTheProgramStayAsTheyAre) {
  EXPECT_EQ(ShellCommand("/a folder", {"env", "A=4 K", "echo", "it's $HOME; rm *"}),
            "cd '/a folder' && exec 'env' 'A=4 K' 'echo' 'it'\\''s $HOME; rm *'");
}

TEST(Hosts, AreReachedByARemoteShellOrBySrun) {
  EXPECT_EQ(RemoteShell({"ssh", "-q"}, "a", "cd x"),
            (std::vector<std::string>{"ssh", "-q", "a", "cd x"}));
  EXPECT_EQ(RemoteShell({"/bin/srun", "-n1"}, "a", "cd x"),
            (std::vector<std::string>{"/bin/srun", "-n1", "--nodelist=a", "sh", "-c", "cd x"}));
}

}  // namespace
}  // namespace llcl
