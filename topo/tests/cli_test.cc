// The topo command: answers, and one sentence with status 2 for each mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "topo/cli/commands.h"
#include "topo/tests/machines.h"

namespace topo::cli {
namespace {

using ::testing::HasSubstr;

struct Answer {
  int status;
  std::string out;
  std::string err;
};

Answer Topo(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "topo");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  std::ostringstream out, err;
  const int status = Run(static_cast<int>(argv.size()), argv.data(), out, err);
  return {status, out.str(), err.str()};
}

const std::string kPaper = "--topology=" + std::string(kSandybridge);

TEST(TopoCommand, MapAsJsonHasTheContractsKeysInThreadOrder) {
  const Answer answer = Topo({"map", kPaper, "--policy=scatter", "--threads=64", "--format=json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const auto rows = nlohmann::json::parse(answer.out);
  ASSERT_EQ(rows.size(), 64u);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(rows[i].size(), 7u);
    EXPECT_EQ(rows[i]["thread"], i);
    EXPECT_EQ(rows[i]["numa_node"], i % 4);
    EXPECT_EQ(rows[i]["package"], i % 4);
    EXPECT_EQ(rows[i]["core"], i / 4 % 8);
    EXPECT_EQ(rows[i]["smt"], i / 32);
    EXPECT_EQ(rows[i]["ordinal"], i / 4);
  }
  EXPECT_EQ(rows[63]["pu"], 63);
}

TEST(TopoCommand, DrawsInsteadOfTheAnswerWhereTheFileIsADash) {
  for (const char* command : {"show", "map", "explain"}) {
    const Answer answer = Topo({command, kPaper, "--svg=-"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_EQ(answer.out.substr(0, 4), "<svg");
    EXPECT_EQ(answer.out.substr(answer.out.size() - 7), "</svg>\n");
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(TopoCommand, ANodeOfTwoPackagesHasItsMemoryOnce) {
  EXPECT_EQ(
      Topo({"show", "--topology=[numa(memory=1073741824)] pack:2 core:1 pu:1"}).out,
      "[numa(memory=1073741824)] pack:2 core:1 pu:1: 2 packages, 1 NUMA node, 2 cores, 2 PUs\n"
      "  package 0\n"
      "    NUMA node 0: 1 GiB\n"
      "      core 0: PU 0\n"
      "  package 1\n"
      "    NUMA node 0, as above\n"
      "      core 1: PU 1\n");
}

TEST(TopoCommand, ExplainPrintsThePapersTable4) {
  const Answer answer = Topo({"explain", kPaper, "--policy=compact", "--threads=64"});
  EXPECT_EQ(answer.out,
            "threads            1  2  4  8  16  32  64\n"
            "NUMA nodes in use  1  1  1  1   1   2   4\n"
            "cores per node     1  2  4  8   8   8   8\n"
            "threads per core   1  1  1  1   2   2   2\n");
}

TEST(TopoCommand, ShowListsTheMachineAsTreeAndAsJson) {
  EXPECT_THAT(Topo({"show", kPaper}).out, HasSubstr("4 packages, 4 NUMA nodes, 32 cores, 64 PUs"));
  const auto json = nlohmann::json::parse(Topo({"show", kPaper, "--format=json"}).out);
  EXPECT_EQ(json["pus"].size(), 64u);
  EXPECT_EQ(json["numa_nodes"].size(), 4u);
}

TEST(TopoCommand, VerifyRunsHereAndSaysThatAllIsAsAsked) {
  const Answer answer = Topo({"verify", "--policy=compact"});
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("where they were asked to be"));
}

TEST(TopoCommand, SvgIsWrittenWholeOrNotAtAll) {
  const std::string path = testing::TempDir() + "/machine.svg";
  EXPECT_EQ(Topo({"map", kPaper, "--threads=2", "--svg=" + path}).status, 0);
  std::ifstream file(path);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  const Answer refused = Topo({"show", "--svg=/nonexistent/machine.svg"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err, "topo: cannot write /nonexistent/machine.svg\n");
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir())) {
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos);
  }
}

TEST(TopoCommand, APipeIsWrittenToAndNotReplaced) {
  const std::string path = testing::TempDir() + "/pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] {
    std::ifstream pipe(path);
    read.assign(std::istreambuf_iterator<char>(pipe), {});
  });
  EXPECT_EQ(Topo({"show", kPaper, "--svg=" + path}).status, 0);
  reader.join();
  EXPECT_THAT(read, HasSubstr("</svg>"));
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(TopoCommand, AnAnswerThatCannotBeWrittenIsAnError) {
  std::string policy = "show";
  char* argv[] = {policy.data(), policy.data(), nullptr};
  std::ofstream full("/dev/full");
  std::ostringstream err;
  EXPECT_EQ(cli::Run(2, argv, full, err), 2);
  EXPECT_EQ(err.str(), "topo: cannot write the answer\n");
}

TEST(TopoCommand, HelpIsNoError) {
  EXPECT_EQ(Topo({"--help"}).status, 0);
  EXPECT_EQ(Topo({"map", "--help"}).status, 0);
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string sentence;
};

class TopoMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(TopoMistakes, AreReportedInOneSentenceWithStatus2) {
  const Answer answer = Topo(GetParam().arguments);
  EXPECT_EQ(answer.status, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr(GetParam().sentence));
  EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, TopoMistakes,
    ::testing::Values(
        Mistake{{}, "expected a subcommand: show, map, explain or verify"},
        Mistake{{"look"}, "expected a subcommand"},
        Mistake{{"map", "--threads=2000000000", "--oversubscribe"},
                "threads must be at most 4194304, not 2000000000"},
        Mistake{{"map", "--threads=-1"}, "threads must be at least 1, not -1"},
        Mistake{{"map", "--policy=scater"}, "unknown policy 'scater': expected none, scatter"},
        Mistake{{"map", kPaper, "--threads=65"}, "65 threads do not fit 64 PUs"},
        Mistake{{"map", "--threads=0"}, "threads must be at least 1, not 0"},
        Mistake{{"map", "--threads=-3"}, "threads must be at least 1, not -3"},
        Mistake{{"map", "--threads=many"}, "--threads = many"},
        Mistake{{"map", "--threads=99999999999"}, "--threads = 99999999999"},
        Mistake{{"map", "--format=xml"}, "expected table or json, not 'xml'"},
        Mistake{{"map", "--core-kind=7"}, "core kind 7 does not exist"},
        Mistake{{"show", "--topology=pack:2 foo:3"}, "hwloc stops at 'foo:3'"},
        Mistake{{"show", "--topology=missing.xml"}, "missing.xml: no such file"},
        Mistake{{"show", "--colour"}, "--colour"},
        Mistake{{"explain", "--svg=/nonexistent/x.svg"}, "cannot write /nonexistent/x.svg"},
        Mistake{{"verify", kPaper, "--policy=none"}, "nothing can be verified"},
        Mistake{{"verify", kPaper}, "topology of another machine"}));

}  // namespace
}  // namespace topo::cli
