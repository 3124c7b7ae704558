#include "llcl/cli/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace llcl {
namespace {

std::string ErrorOf(const std::vector<std::string>& words) {
  return std::string(ParseArguments(words).status().message());
}

TEST(Arguments, BehindAProgramAreTheProgramsOwn) {
  const auto arguments = ParseArguments({"-n", "3", "--label", "program", "-n", "5", "--", "-x"});
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  EXPECT_TRUE(arguments->labels);
  EXPECT_EQ(arguments->programs, (std::vector<Program>{{3, {"program", "-n", "5", "--", "-x"}}}));
}

TEST(Arguments, OfSeveralPrograms) {
  const auto arguments = ParseArguments(
      {"--bind=core", "-n", "2", "a", "x", ":", "--", "b", ":", "-n", "3", "c", "-n"});
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  EXPECT_EQ(arguments->programs,
            (std::vector<Program>{{2, {"a", "x"}}, {1, {"b"}}, {3, {"c", "-n"}}}));
  EXPECT_EQ(arguments->binding, Binding::kCore);
}

TEST(Arguments, SayOfOneProgramHowManyRanksOrNothing) {
  EXPECT_EQ((*ParseArguments({"a"})).programs, (std::vector<Program>{{0, {"a"}}}));
}

TEST(Arguments, SayWhatIsWrong) {
  EXPECT_EQ(ErrorOf({"-n", "2"}), "no program is named; see llclrun --help");
  EXPECT_EQ(ErrorOf({"a", ":"}), "no program is named; see llclrun --help");
  EXPECT_NE(ErrorOf({"a", ":", "--label", "b"}).find("--label"), std::string::npos);
  EXPECT_NE(ErrorOf({"-n", "0", "a"}).find("not a number from"), std::string::npos);
  EXPECT_NE(ErrorOf({"--bind=socket", "a"}).find("socket"), std::string::npos);
  EXPECT_EQ(ErrorOf({"-x", "=a", "b"}), "-x =a: expected NAME[=VALUE]");
  EXPECT_TRUE(absl::IsOutOfRange(ParseArguments({"--help"}).status()));
}

TEST(Arguments, AreThoseOfOtherLaunchersToo) {
  for (const char* const count : {"-n", "-np", "--np", "--ranks"}) {
    const auto arguments = ParseArguments({count, "3", "program", "-np", "5"});
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    EXPECT_EQ(arguments->programs, (std::vector<Program>{{3, {"program", "-np", "5"}}}));
  }
  const auto version = ParseArguments({"--version"}).status();
  EXPECT_TRUE(absl::IsOutOfRange(version));
  EXPECT_NE(version.message().find("llclrun "), std::string_view::npos);
  EXPECT_EQ(ErrorOf({"--timeout=10m", "a"}),
            "--timeout: '10m' is not a number from 1 to 31536000 (seconds)");
  EXPECT_NE(ErrorOf({"--oversubscribe", "a"}).find("see llclrun --help"), std::string::npos);
  EXPECT_NE(ErrorOf({"a", ":", "-x", "A=1", "b"}).find("no option but -n"), std::string::npos);
}

TEST(Arguments, OfAProxyAreReadBackAsTheyWereWritten) {
  Arguments job = {.programs = {{2, {"a", "-x", "it's"}}, {2, {"b"}}},
                   .environment = {{"A", "1 2"}, {"B", ""}},
                   .binding = Binding::kNuma,
                   .output = "out.%r",
                   .keeps_going = true};
  const std::vector<std::string> words = ProxyWords(
      job,
      {.ranks = {1, 2}, .ranks_of_all = 4, .rendezvous = "node1:5000", .is_interruptible = true});
  EXPECT_EQ(std::count(words.begin(), words.end(), "A=1 2"), 0) << "every user would see it";
  const auto proxy = ParseArguments(words);
  ASSERT_TRUE(proxy.ok()) << proxy.status();
  EXPECT_EQ(proxy->programs, (std::vector<Program>{{1, {"a", "-x", "it's"}}, {1, {"b"}}}));
  EXPECT_EQ(proxy->binding, Binding::kNuma);
  EXPECT_EQ(proxy->output, "out.%r");
  EXPECT_TRUE(proxy->keeps_going);
  EXPECT_FALSE(proxy->labels);
  ASSERT_TRUE(proxy->proxy.has_value());
  EXPECT_EQ(proxy->proxy->ranks, (std::vector<int>{1, 2}));
  EXPECT_EQ(proxy->proxy->ranks_of_all, 4);
  EXPECT_EQ(proxy->proxy->rendezvous, "node1:5000");
  EXPECT_TRUE(proxy->proxy->is_interruptible);
}

}  // namespace
}  // namespace llcl
