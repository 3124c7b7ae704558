// The program as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/tests/run_program.h"

namespace {

using program::Outcome;
using testing::HasSubstr;

Outcome Simpath(std::vector<std::string> arguments) {
  return program::RunProgram("apps/simpath/simpath", std::move(arguments));
}

std::string FileOf(const std::string& name, const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Simpath, ModesOrdersPoliciesAndThreadsAgreeOnGrids) {
  for (const char* order : {"input", "breadth-first", "best"}) {
    const Outcome run = Simpath({"--grid=7,6", "--mode=sequential,eba,partition,array",
                                 std::string("--order=") + order, "--policy=none,compact",
                                 "--threads=1", "--json=-"});
    ASSERT_EQ(run.code, 0) << run.error;
    const auto json = nlohmann::json::parse(run.output);
    EXPECT_EQ(json["verified"], true);
    ASSERT_EQ(json["results"].size(), 14u) << "the sequential mode has no policies";
    for (const auto& row : json["results"]) {
      EXPECT_EQ(row["count"], row["graph"] == "grid 7x7" ? "789360053252" : "575780564");
      for (const char* key : {"graph", "mode", "order", "policy", "threads", "moduli", "max_width",
                              "forecast_bytes", "seconds", "order_seconds", "count_seconds",
                              "check_seconds", "checked", "max_rss_bytes"}) {
        EXPECT_TRUE(row.contains(key)) << key;
      }
    }
    EXPECT_THAT(run.error, HasSubstr("grid 6x6: 575780564 simple paths"));
  }
}

TEST(Simpath, ThreadsArePinnedByDefaultWhereMemoryIsNearAndFar) {
  const auto policy = [](const std::string& topology) {
    const Outcome run =
        Simpath({"--grid=4", "--mode=partition", "--topology=" + topology, "--json=-"});
    EXPECT_EQ(run.code, 0) << run.error;
    return nlohmann::json::parse(run.output)["results"][0]["policy"].get<std::string>();
  };
  EXPECT_EQ(policy("pack:1 [numa] core:2 pu:1"), "none");
  EXPECT_EQ(policy("pack:2 [numa] core:1 pu:1"), "compact");
}

TEST(Simpath, CountsAGridEdgeByEdgeWhereItsEdgesAreOrdered) {
  EXPECT_THAT(Simpath({"--grid=5"}).output, HasSubstr("array"));
  EXPECT_THAT(Simpath({"--grid=5", "--order=best"}).output, HasSubstr("partition  best"));
}

TEST(Simpath, CountsAGraphAsItIsOrReduced) {
  for (const char* mode : {"sequential", "eba", "partition"}) {
    for (const bool reduced : {false, true}) {
      std::vector<std::string> arguments = {"--grid=5", std::string("--mode=") + mode};
      if (!reduced) arguments.push_back("--unreduced");
      const Outcome run = Simpath(arguments);
      EXPECT_EQ(run.code, 0) << run.error;
      EXPECT_THAT(run.output, HasSubstr("grid 5x5: 1262816 simple paths"));
    }
  }
}

// A process that is killed as soon as its checkpoint is there.
void StartAndKill(const std::vector<std::string>& arguments, const std::string& checkpoint) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<char*> argv = {const_cast<char*>("simpath")};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv("apps/simpath/simpath", argv.data());
    _exit(127);
  }
  int status = 0;
  while (!std::filesystem::exists(checkpoint)) {
    ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "it ended before";
    usleep(1000);
  }
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was done already";
}

TEST(Simpath, GoesOnAfterItWasKilled) {
  const std::string expected = "1568758030464750013214100";
  for (const char* mode : {"sequential", "partition", "array"}) {
    const std::string file = FileOf(mode, "");
    std::filesystem::remove(file);
    std::vector<std::string> arguments = {"--grid=10", std::string("--mode=") + mode,
                                          "--checkpoint=" + file, "--checkpoint-seconds=0"};
    StartAndKill(arguments, file);
    arguments.push_back("--resume");
    const Outcome other = Simpath({"--grid=9", arguments[1], arguments[2], "--resume"});
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.error, HasSubstr(": it is of simpath's ")) << "it is of another graph";
    const Outcome run = Simpath(arguments);
    EXPECT_EQ(run.code, 0) << run.error;
    EXPECT_THAT(run.output, HasSubstr(": " + expected + " simple paths")) << mode;
  }
}

TEST(Simpath, ACountIsCheckedUnlessAskedNotTo) {
  const auto row_of = [](const std::string& mode, bool no_check) {
    std::vector<std::string> arguments = {"--grid=7", "--mode=" + mode, "--json=-"};
    if (no_check) arguments.push_back("--no-check");
    const Outcome run = Simpath(arguments);
    EXPECT_EQ(run.code, 0) << run.error;
    EXPECT_EQ(run.error.find("(not checked)") != std::string::npos, no_check) << run.error;
    const auto json = nlohmann::json::parse(run.output);
    EXPECT_EQ(json["verified"], !no_check);
    const auto row = json["results"][0];
    EXPECT_EQ(row["count"], "789360053252");
    EXPECT_EQ(row["checked"], !no_check);
    const double sum = row["order_seconds"].get<double>() + row["count_seconds"].get<double>() +
                       row["check_seconds"].get<double>();
    EXPECT_DOUBLE_EQ(row["seconds"], sum);
    return row;
  };
  for (const char* mode : {"partition", "eba", "sequential"}) {
    EXPECT_GT(row_of(mode, false)["order_seconds"], 0);
    EXPECT_EQ(row_of(mode, true)["check_seconds"], 0);
  }
  const int moduli = row_of("array", false)["moduli"];
  EXPECT_EQ(row_of("array", true)["moduli"], moduli - 1);
  EXPECT_GT(row_of("array", false)["check_seconds"], 0);
  // Rows that agree are checked.
  const Outcome both = Simpath({"--grid=4", "--mode=array,eba", "--no-check", "--json=-"});
  EXPECT_EQ(nlohmann::json::parse(both.output)["verified"], true);
}

TEST(Simpath, ForecastsStatesAndCountsNothing) {
  const Outcome run = Simpath({"--grid=8", "--forecast", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto row = nlohmann::json::parse(run.output)["results"][0];
  EXPECT_EQ(row["mode"], "forecast");
  EXPECT_EQ(row["max_width"], 10);
  EXPECT_GT(row["max_states"], 1000);
  EXPECT_GT(row["forecast_bytes"], row["max_states"]);
  EXPECT_FALSE(row.contains("count"));
}

TEST(Simpath, ForecastsGridsByAFormulaAndWideGraphsByAnEstimate) {
  const Outcome grid = Simpath({"--grid=24", "--forecast", "--json=-"});
  ASSERT_EQ(grid.code, 0) << grid.error;
  EXPECT_EQ(nlohmann::json::parse(grid.output)["results"][0]["source"], "formula");
  const Outcome ordered = Simpath({"--grid=14", "--order=best", "--forecast", "--json=-"});
  ASSERT_EQ(ordered.code, 0) << ordered.error;
  const auto row = nlohmann::json::parse(ordered.output)["results"][0];
  EXPECT_EQ(row["source"], "estimate");
  EXPECT_GT(row["states_factor"], 1);
  EXPECT_GT(row["states"], 20'000'000);
  EXPECT_NEAR(row["paths_log2"].get<double>(), 151, 10);
  EXPECT_GT(row["path_samples"], 10);
  EXPECT_THAT(ordered.error, HasSubstr("standard error"));
}

TEST(Simpath, DrawsTheDiagramAndPathsOfASmallGraph) {
  const std::string dot = FileOf("zdd.dot", "");
  const Outcome run = Simpath({"--grid=2", "--dot=" + dot, "--paths=-", "--samples=50"});
  ASSERT_EQ(run.code, 0) << run.error;
  std::set<std::string> paths;
  std::istringstream lines(run.output);
  int drawn = 0;
  for (std::string line; std::getline(lines, line); ++drawn) {
    EXPECT_TRUE(line.starts_with("0 ") && line.ends_with(" 8")) << line;
    paths.insert(line);
  }
  EXPECT_EQ(drawn, 50);
  EXPECT_GT(paths.size(), 6u);
  EXPECT_LE(paths.size(), 12u);
  EXPECT_THAT(run.error, HasSubstr("as a reduced ZDD: "));
  std::ifstream written(dot);
  std::string first;
  std::getline(written, first);
  EXPECT_EQ(first, "digraph zdd {");
}

TEST(Simpath, CountsBetweenAnyVerticesOfAFile) {
  const std::string square = FileOf("square.txt", "0 1\n1 2\n2 3\n3 0\n0 2\n2 0\n1 1\n");
  const auto paths = [&](const std::string& source, const std::string& target) {
    const Outcome run = Simpath({"--graph=" + square, "--source=" + source, "--target=" + target});
    EXPECT_EQ(run.code, 0) << run.error;
    return run.output;
  };
  EXPECT_THAT(paths("0", "2"), HasSubstr(": 3 simple paths"));
  EXPECT_THAT(paths("1", "3"), HasSubstr(": 4 simple paths"));
  EXPECT_THAT(paths("1", "1"), HasSubstr(": 1 simple path\n")) << "that of no edge";
}

TEST(Simpath, CountsWhatTheRuleSays) {
  const auto text = [](std::vector<std::string> arguments) {
    const Outcome run = Simpath(std::move(arguments));
    EXPECT_EQ(run.code, 0) << run.error;
    return run.output;
  };
  EXPECT_THAT(text({"--grid=4", "--rule=cycles"}), HasSubstr(": 9349 simple cycles\n"));
  EXPECT_THAT(text({"--grid=5", "--rule=hamiltonian-cycles"}),
              HasSubstr(": 1072 Hamiltonian cycles\n"));
  EXPECT_THAT(text({"--grid=4", "--rule=hamiltonian-paths"}),
              HasSubstr(": 104 Hamiltonian paths\n"));
  EXPECT_THAT(text({"--grid=3", "--all-pairs"}), HasSubstr(" simple paths of all pairs\n"));
  EXPECT_THAT(text({"--grid=1", "--max-length=2"}),
              HasSubstr(": 2 simple paths of at most 2 edges\n"));
  EXPECT_THAT(text({"--grid=1", "--rule=cycles"}), HasSubstr(": 1 simple cycle\n"));
  EXPECT_THAT(text({"--grid=1", "--rule=paths"}), HasSubstr("array"));
  const Outcome run =
      Simpath({"--grid=3", "--all-pairs", "--max-length=4", "--mode=partition,eba", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  for (const auto& row : json["results"]) {
    EXPECT_EQ(row["rule"], "paths");
    EXPECT_EQ(row["all_pairs"], true);
    EXPECT_EQ(row["directed"], false);
    EXPECT_EQ(row["max_length"], 4);
  }
}

// The three tasks of ICGCA: a pair of terminals, none, and either by arcs; the answer is a number.
TEST(Simpath, AnswersAsIcgcaAsks) {
  const std::string square = "p edge 4 5\ne 1 2\ne 2 3\ne 3 4\ne 4 1\ne 1 3\n";
  const auto answer = [](const std::string& file) {
    const Outcome run = Simpath({"--graph=" + file, "--number-only"});
    EXPECT_EQ(run.code, 0) << run.error;
    return run.output;
  };
  EXPECT_EQ(answer(FileOf("pair.icgca", square + "l 2\nt 1 3\n")), "3\n");
  EXPECT_EQ(answer(FileOf("short.icgca", square + "l 1\nt 1 3\n")), "1\n");
  EXPECT_EQ(answer(FileOf("all.icgca", square + "l 1\n")), "5\n");
  EXPECT_EQ(answer(FileOf("two.icgca", square + "l 2\n")), "13\n");
  EXPECT_EQ(answer(FileOf("none.icgca", "p edge 3 0\nl 5\n")), "0\n");
  const Outcome empty =
      Simpath({"--graph=" + FileOf("empty.col", "p edge 0 0\n"), "--all-pairs", "--number-only"});
  EXPECT_EQ(empty.output, "0\n") << empty.error;
  const std::string arcs = FileOf(
      "arcs.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n2 1\n3 2\n4 3\n");
  const auto directed = [&](const std::string& source, const std::string& target) {
    return Simpath({"--graph=" + arcs, "--source=" + source, "--target=" + target, "--number-only"})
        .output;
  };
  EXPECT_EQ(directed("4", "1"), "1\n");
  EXPECT_EQ(directed("1", "4"), "0\n") << "against the arcs";
}

TEST(Simpath, NoPathIsTheAnswerZero) {
  const std::string apart = FileOf("apart.txt", "0 1\n2 3\n");
  const Outcome run = Simpath({"--graph=" + apart, "--source=0", "--target=3"});
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr(": 0 simple paths"));
}

// The parts are the same, but for what is contracted to one of their edges.
TEST(Simpath, ACheckpointOfAnotherGraphWithTheSamePartsIsRefused) {
  std::string wheel;
  for (int i = 1; i <= 6; ++i) {
    wheel += "0 " + std::to_string(i) + "\n" + std::to_string(i) + " " + std::to_string(i % 6 + 1) +
             "\n";
  }
  const std::string one = FileOf("one.txt", wheel + "1 7\n7 2\n0 8\n"),
                    two = FileOf("two.txt", wheel + "1 7\n7 2\n1 8\n8 2\n");
  const std::string file = FileOf("parts.ckpt", "");
  const auto count = [&](const std::string& graph, bool resume) {
    std::vector<std::string> arguments = {"--graph=" + graph, "--source=3", "--target=5",
                                          "--checkpoint=" + file, "--checkpoint-seconds=0"};
    if (resume) arguments.push_back("--resume");
    return Simpath(arguments);
  };
  ASSERT_EQ(count(one, false).code, 0);
  EXPECT_EQ(count(one, true).code, 0);
  const Outcome run = count(two, true);
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.error, HasSubstr(": it is of simpath's "));
}

TEST(Simpath, BadInputIsOneSentence) {
  const std::string edge = FileOf("edge.txt", "0 1\n");
  const auto error = [](std::vector<std::string> arguments) {
    const Outcome run = Simpath(std::move(arguments));
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.output, "");
    return run.error;
  };
  EXPECT_THAT(error({"--graph=" + edge}), HasSubstr("--source and --target"));
  EXPECT_THAT(error({"--graph=" + edge, "--source=0", "--target=2"}),
              HasSubstr("edge.txt has no such vertex; its ids are 0 to 1"));
  EXPECT_THAT(error({"--graph=" + edge, "--mode=array"}), HasSubstr("a grid (--grid)"));
  EXPECT_THAT(error({"--grid=4", "--mode=fast"}), HasSubstr("'fast' is none of array"));
  EXPECT_THAT(error({"--grid=4,x"}), HasSubstr("'x' is no number of cells from 1 to 28"));
  EXPECT_THAT(error({"--grid=4", "--order=worst"}), HasSubstr("'worst' is none of input"));
  EXPECT_THAT(error({"--grid=4", "--mode=eba", "--checkpoint=c"}), HasSubstr("--checkpoint: "));
  EXPECT_THAT(error({"--grid=4,5", "--checkpoint=c"}), HasSubstr("of one count"));
  EXPECT_THAT(error({"--grid=4", "--checkpoint=/nowhere/c", "--checkpoint-seconds=0"}),
              HasSubstr("/nowhere/c.new: cannot be made"));
  EXPECT_THAT(error({"--grid=4", "--checkpoint=absent", "--resume"}),
              HasSubstr("absent: cannot be read"));
  EXPECT_THAT(error({"--grid=4", "--format=dimacs"}), HasSubstr("--format requires --graph"));
  EXPECT_THAT(error({"--grid=4", "--source=3", "--target=3", "--dot=d"}),
              HasSubstr("two vertices"));
  EXPECT_THAT(error({"--grid=4", "--rule=trees"}), HasSubstr("'trees' is none of paths, cycles"));
  EXPECT_THAT(error({"--grid=4", "--rule=cycles", "--source=1"}), HasSubstr("cycles have no ends"));
  EXPECT_THAT(error({"--grid=4", "--all-pairs", "--target=1"}), HasSubstr("of one pair"));
  EXPECT_THAT(error({"--grid=4", "--mode=array", "--max-length=9"}), HasSubstr("counts all paths"));
  EXPECT_THAT(error({"--grid=4", "--rule=cycles", "--dot=d"}), HasSubstr("of all undirected"));
  EXPECT_THAT(error({"--grid=4", "--forecast", "--number-only"}), HasSubstr("counts nothing"));
  EXPECT_THAT(error({"--grid=24", "--memory-limit=1GiB"}), HasSubstr("words, which need"));
  EXPECT_THAT(error({"--grid=12", "--mode=sequential", "--memory-limit=1MiB"}),
              HasSubstr("whose frontier has"));
}

TEST(Simpath, VerticesHaveTheIdsOfTheirFile) {
  const std::string wide = FileOf("wide.txt", "1099511627776 7\n7 5\n5 1099511627776\n");
  const std::string paths = FileOf("paths.txt", ""), dot = FileOf("zdd.dot", "");
  const Outcome run = Simpath({"--graph=" + wide, "--source=1099511627776", "--target=5",
                               "--paths=" + paths, "--dot=" + dot, "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["results"][0]["count"], "2");
  EXPECT_EQ(json["parameters"]["reading"]["ids_renamed"], true);
  EXPECT_THAT(run.error, HasSubstr("ids 5 to 1099511627776 with gaps"));
  std::stringstream drawn, diagram;
  drawn << std::ifstream(paths).rdbuf();
  for (std::string line; std::getline(drawn, line);) {
    EXPECT_THAT(line, testing::AnyOf("1099511627776 5", "1099511627776 7 5"));
  }
  diagram << std::ifstream(dot).rdbuf();
  EXPECT_THAT(diagram.str(), HasSubstr("label=\"1099511627776-7\""));
}

TEST(Simpath, ABoundOfFewEdgesNeedsNoCountWithoutABound) {
  // Edges, and pairs of edges that meet, of a grid of 21 x 21 vertices.
  const Outcome run = Simpath({"--grid=20", "--all-pairs", "--max-length=2", "--number-only"});
  EXPECT_EQ(run.output, std::to_string(840 + 4 * 1 + 76 * 3 + 361 * 6) + "\n") << run.error;
}

TEST(Simpath, ACountOfManyLengthsIsNotRefused) {
  std::string strip;
  for (int i = 0; i < 400; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int vertex = 3 * i + j;
      if (j < 2) strip += std::to_string(vertex) + " " + std::to_string(vertex + 1) + "\n";
      if (i < 399) strip += std::to_string(vertex) + " " + std::to_string(vertex + 3) + "\n";
    }
  }
  const std::string file = FileOf("strip.txt", strip);
  const auto count = [&](const std::string& mode) {
    const Outcome run = Simpath({"--graph=" + file, "--source=0", "--target=1199",
                                 "--max-length=450", "--mode=" + mode, "--number-only"});
    EXPECT_EQ(run.code, 0) << run.error;
    return run.output;
  };
  EXPECT_EQ(count("partition"), count("sequential"));
}

TEST(Simpath, ACheckpointOfAGraphWithAnotherVertexIsRefused) {
  const std::string few = FileOf("few.col", "p edge 4 5\ne 1 2\ne 2 3\ne 3 4\ne 1 3\ne 2 4\n");
  const std::string more = FileOf("more.col", "p edge 5 5\ne 1 2\ne 2 3\ne 3 4\ne 1 3\ne 2 4\n");
  const std::string checkpoint = FileOf("vertices.ckpt", "");
  const auto run = [&](const std::string& graph, const std::string& resume) {
    std::vector<std::string> arguments = {"--graph=" + graph,
                                          "--rule=hamiltonian-paths",
                                          "--source=1",
                                          "--target=4",
                                          "--mode=sequential",
                                          "--checkpoint=" + checkpoint,
                                          "--checkpoint-seconds=0"};
    if (!resume.empty()) arguments.push_back(resume);
    return Simpath(arguments);
  };
  ASSERT_EQ(run(few, "").code, 0);
  EXPECT_EQ(run(more, "--resume").code, 2);
}

TEST(Simpath, NumbersOfFlagsAreDecimal) {
  EXPECT_EQ(Simpath({"--grid=3", "--max-length=010", "--number-only"}).output,
            Simpath({"--grid=3", "--max-length=10", "--number-only"}).output);
  EXPECT_EQ(Simpath({"--grid=3", "--max-length=0x10"}).code, 2);
}

TEST(Simpath, NothingButTheNumberIsPrintedWhereAsked) {
  const std::string paths = FileOf("number.paths", "");
  EXPECT_EQ(Simpath({"--grid=2", "--number-only", "--paths=" + paths}).output, "12\n");
  const std::string two = FileOf("two.icgca", "p edge 3 2\ne 1 2\ne 2 3\nt 1 2\nt 1 3\n");
  EXPECT_THAT(Simpath({"--graph=" + two}).error, HasSubstr("it has 2 pairs of terminals"));
}

// The number is 8.65e46, and the five first seeds say 2.8e44 to 1.4e47.
TEST(Simpath, AForecastOfFewSamplesSaysSo) {
  const Outcome run =
      Simpath({"--grid=14", "--source=3", "--target=150", "--forecast", "--seed=4"});
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("The samples are too few"));
}

}  // namespace
