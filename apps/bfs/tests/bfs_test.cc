// The program as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/tests/run_program.h"

namespace {

using program::Outcome;
using testing::HasSubstr;

Outcome Bfs(std::vector<std::string> arguments) {
  return program::RunProgram("apps/bfs/bfs", std::move(arguments));
}

std::string FileOf(const std::string& name, const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Bfs, ValidatesAllKeysOfAGeneratedGraph) {
  const Outcome run = Bfs({"--scale=12", "--threads=1", "--policy=compact,none", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  ASSERT_EQ(json["results"].size(), 2u);
  for (const auto& row : json["results"]) {
    EXPECT_EQ(row["keys"], 64);
    EXPECT_EQ(row["scale"], 12);
    EXPECT_EQ(row["edges"], 16 << 12);
    EXPECT_EQ(row["validated"], true);
    EXPECT_GT(row["teps_harmonic_mean"], 0);
    for (const char* key : {"graph", "vertices", "labels", "policy", "placement", "threads",
                            "ranks", "construction_seconds", "seconds_median", "teps_median",
                            "bytes_per_tuple", "max_rss_bytes"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_THAT(run.error, HasSubstr("bfs  harmonic_mean_TEPS:     !  "));
}

// The lengths of paths are known, so that depth, reached vertices and tuples of each key are, too.
TEST(Bfs, EachKeyHasItsSearchInTheJson) {
  const std::string path = FileOf("searches.txt", "0 1\n1 2\n2 3\n3 3\n5 6\n5 6\n");
  const Outcome run = Bfs({"--graph=" + path, "--threads=1", "--root=3,4,6", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto row = nlohmann::json::parse(run.output)["results"][0];
  EXPECT_GE(row["generation_seconds"], 0);
  const auto& searches = row["searches"];
  ASSERT_EQ(searches.size(), 3u);
  const int expected[][4] = {{3, 3, 4, 4}, {4, 0, 1, 0}, {6, 1, 2, 2}};
  for (std::size_t i = 0; i < searches.size(); ++i) {
    EXPECT_EQ(searches[i]["root"], expected[i][0]);
    EXPECT_EQ(searches[i]["depth"], expected[i][1]);
    EXPECT_EQ(searches[i]["reached"], expected[i][2]);
    EXPECT_EQ(searches[i]["tuples"], expected[i][3]);
    EXPECT_GT(searches[i]["seconds"], 0);
    EXPECT_GT(searches[i]["validation_seconds"], 0);
    EXPECT_FALSE(searches[i].contains("levels_left_out"));
    for (const auto& level : searches[i]["levels"]) {
      EXPECT_THAT(std::string(level["direction"]), testing::AnyOf("top-down", "bottom-up"));
      EXPECT_GT(level["frontier"], 0);
      EXPECT_GE(level["seconds"], 0);
    }
  }
  EXPECT_GE(searches[0]["levels"].size(), 2u);
}

TEST(Bfs, BothSearchesAndBothLabelsHaveRowsOfTheSameKeys) {
  const Outcome run = Bfs({"--scale=10", "--threads=2", "--policy=none", "--variant=fast,plain",
                           "--labels=original,internal", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  std::vector<std::string> names;
  for (const auto& row : json["results"]) {
    names.push_back(std::string(row["variant"]) + " " + std::string(row["labels"]));
    EXPECT_LE(row["teps_median_q1"], row["teps_median_q3"]);
  }
  EXPECT_THAT(names, testing::ElementsAre("fast original", "fast internal", "plain original"));
}

TEST(Bfs, ThePlainSearchHasOneRowWhateverTheLabelsAre) {
  const Outcome run = Bfs({"--scale=8", "--threads=1", "--policy=none", "--variant=plain",
                           "--labels=internal", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  ASSERT_EQ(json["results"].size(), 1u);
  EXPECT_EQ(json["results"][0]["labels"], "original");
}

TEST(Bfs, TheTreeOfARootIsWritten) {
  const std::string path = FileOf("path.txt", "0 1\n1 2\n2 3\n5 6\n");
  const std::string tree = FileOf("tree.txt", "");
  const Outcome run = Bfs({"--graph=" + path, "--threads=1", "--root=3", "--output=" + tree});
  ASSERT_EQ(run.code, 0) << run.error;
  std::stringstream text;
  text << std::ifstream(tree).rdbuf();
  EXPECT_EQ(text.str(), "0 1 3\n1 2 2\n2 3 1\n3 3 0\n");
}

TEST(Bfs, SeveralRootsHaveAPairOfColumnsEach) {
  const std::string path = FileOf("roots.txt", "0 1\n1 2\n2 3\n5 6\n");
  const std::string tree = FileOf("trees.txt", "");
  const Outcome run =
      Bfs({"--graph=" + path, "--threads=1", "--root=3,4,6", "--output=" + tree, "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_EQ(nlohmann::json::parse(run.output)["results"][0]["keys"], 3);
  std::stringstream text;
  text << std::ifstream(tree).rdbuf();
  EXPECT_EQ(text.str(),
            "# vertex parent:3 depth:3 parent:4 depth:4 parent:6 depth:6\n"
            "0 1 3 -1 -1 -1 -1\n"
            "1 2 2 -1 -1 -1 -1\n"
            "2 3 1 -1 -1 -1 -1\n"
            "3 3 0 -1 -1 -1 -1\n"
            "4 -1 -1 4 0 -1 -1\n"
            "5 -1 -1 -1 -1 6 1\n"
            "6 -1 -1 -1 -1 6 0\n");
}

// Arcs 1 > 0, 2 > 1, 3 > 2, in a file that counts from 1.
TEST(Bfs, ArcsAreSearchedAlongTheirDirectionUnlessAskedOtherwise) {
  const std::string chain = FileOf("directed_chain.mtx",
                                   "%%MatrixMarket matrix coordinate pattern general\n"
                                   "4 4 3\n2 1\n3 2\n4 3\n");
  const auto depths = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--graph=" + chain, "--root=4,1", "--threads=2", "--policy=none",
                             "--variant=fast,plain", "--json=-"});
    const Outcome run = Bfs(more);
    EXPECT_EQ(run.code, 0) << run.error;
    std::vector<std::string> found;
    const auto json = nlohmann::json::parse(run.output);
    for (const auto& row : json["results"]) {
      found.push_back(std::string(row["direction"]) + " " + row["searches"][0]["depth"].dump() +
                      " " + row["searches"][1]["depth"].dump());
    }
    EXPECT_THAT(run.error,
                HasSubstr(more[0] == "--symmetrize" ? "arcs are searched both ways"
                                                    : "arcs are searched along their direction"));
    return found;
  };
  EXPECT_THAT(depths({}), testing::ElementsAre("directed 3 0", "directed 3 0"));
  EXPECT_THAT(depths({"--symmetrize"}), testing::ElementsAre("symmetrized 3 3", "symmetrized 3 3"));
}

// Arcs leave vertex 0 alone.
TEST(Bfs, KeysOfADirectedGraphAreVerticesThatArcsLeave) {
  const std::string star = FileOf("star.mtx",
                                  "%%MatrixMarket matrix coordinate pattern general\n"
                                  "5 5 4\n1 2\n1 3\n1 4\n1 5\n");
  const Outcome run = Bfs({"--graph=" + star, "--threads=1", "--variant=fast,plain", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  for (const auto& row : json["results"]) {
    EXPECT_EQ(row["keys"], 1);
    EXPECT_EQ(row["searches"][0]["reached"], 5);
    EXPECT_EQ(row["searches"][0]["tuples"], 4);
  }
}

// First and last key as in apps/graph/tests/graph500_generator_test.cc.
TEST(Bfs, EdgesAndKeysAreTheReferenceCodesWhereAskedFor) {
  const Outcome run = Bfs({"--scale=10", "--generator=graph500", "--threads=2", "--policy=none",
                           "--variant=fast,plain", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["parameters"]["seed1"], 2);
  EXPECT_EQ(json["parameters"]["seed2"], 3);
  for (const auto& row : json["results"]) {
    EXPECT_EQ(row["graph"], "graph500");
    EXPECT_EQ(row["scale"], 10);
    ASSERT_EQ(row["searches"].size(), 64u);
    EXPECT_EQ(row["searches"][0]["root"], 458);
    EXPECT_EQ(row["searches"][63]["root"], 149);
  }
}

TEST(Bfs, APlotShowsPoliciesByThreads) {
  const std::string svg = FileOf("teps.svg", "");
  const Outcome run = Bfs({"--scale=8", "--topology=pack:2 [numa] core:2 pu:1", "--threads=1,4",
                           "--policy=compact,scatter", "--svg=" + svg});
  ASSERT_EQ(run.code, 0) << run.error;
  std::stringstream text;
  text << std::ifstream(svg).rdbuf();
  EXPECT_THAT(text.str(),
              testing::AllOf(HasSubstr("TEPS"), HasSubstr("compact"), HasSubstr("scatter")));
}

TEST(Bfs, WhatDoesNotFitIsRefusedBeforeItIsBuilt) {
  const Outcome run = Bfs({"--scale=31", "--threads=1", "--memory-limit=1GiB"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.error, HasSubstr("bfs: --scale=31 (fast) may need "));
  EXPECT_THAT(run.error, HasSubstr("--memory-limit allows 1.1 GB"));
}

TEST(Bfs, ADescribedMachineOfFourNodesSearchesOnThisOne) {
  const Outcome run = Bfs({"--scale=10", "--topology=pack:4 [numa] core:1 pu:1", "--threads=4"});
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("scatter (unbound)"));
}

TEST(Bfs, SearchesTheGraphOfAFile) {
  const std::string path = FileOf("ring.txt", "0 1\n1 2\n2 3\n3 0\n");
  const Outcome run = Bfs({"--graph=" + path, "--threads=1"});
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("4 vertices, 4 tuples"));
}

// By both searches, with the figures of a search without tuples as numbers or null.
TEST(Bfs, ARootWithoutEdgesIsATreeOfDepthZero) {
  const std::string none = FileOf("iso.col", "p edge 3 0\n");
  const std::string alone = FileOf("alone.txt", "0 1\n2 2\n");
  for (const std::string& path : {none, alone}) {
    const std::string tree = FileOf("tree.txt", "");
    const Outcome run = Bfs({"--graph=" + path, "--root=2", "--threads=2", "--policy=none",
                             "--variant=fast,plain", "--output=" + tree, "--json=-"});
    ASSERT_EQ(run.code, 0) << run.error;
    std::stringstream text;
    text << std::ifstream(tree).rdbuf();
    EXPECT_EQ(text.str(), "2 2 0\n");
    const auto json = nlohmann::json::parse(run.output);
    ASSERT_EQ(json["results"].size(), 2u);
    for (const auto& row : json["results"]) {
      EXPECT_EQ(row["validated"], true);
      EXPECT_TRUE(row["teps_harmonic_mean"].is_number()) << row["teps_harmonic_mean"];
      EXPECT_TRUE(row["teps_harmonic_stddev"].is_number());
      EXPECT_EQ(row["bytes_per_tuple"].is_null(), path == none);
    }
    EXPECT_THAT(run.error, testing::Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
  }
}

TEST(Bfs, AGraphWithoutEdgesIsSearchedFromItsVertices) {
  for (const auto& [path, keys] : {std::pair{FileOf("iso.col", "p edge 3 0\n"), 3},
                                   std::pair{FileOf("loops.txt", "0 0\n1 1\n"), 2},
                                   std::pair{FileOf("pair.col", "p edge 5 1\ne 2 4\n"), 2}}) {
    const Outcome run = Bfs({"--graph=" + path, "--threads=1", "--json=-"});
    ASSERT_EQ(run.code, 0) << run.error;
    EXPECT_EQ(nlohmann::json::parse(run.output)["results"][0]["keys"], keys) << path;
  }
}

TEST(Bfs, VerticesHaveTheIdsOfTheirFile) {
  const std::string wide = FileOf("wide.txt", "1099511627776 1099511627777\n1099511627777 5\n");
  const std::string tree = FileOf("wide.tree", "");
  const Outcome run = Bfs({"--graph=" + wide, "--root=5", "--output=" + tree, "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  std::stringstream text;
  text << std::ifstream(tree).rdbuf();
  EXPECT_EQ(text.str(), "5 5 0\n1099511627776 1099511627777 2\n1099511627777 5 1\n");
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["results"][0]["searches"][0]["root"], 5);
  EXPECT_EQ(json["parameters"]["reading"]["format"], "edge-list");
  EXPECT_EQ(json["parameters"]["reading"]["last_id"], 1099511627777);
}

TEST(Bfs, ASavedGraphIsMappedAndHasTheSameTree) {
  const std::string path = FileOf("ids.txt", "1 2\n2 7\n7 9\n9 9\n2 7\n");
  const std::string saved = FileOf("ids.sg", ""), tree = FileOf("saved.tree", "");
  const auto tree_of = [&](const std::string& graph) {
    const Outcome run = Bfs({"--graph=" + graph, "--root=1", "--output=" + tree, "--json=-"});
    EXPECT_EQ(run.code, 0) << run.error;
    std::stringstream text;
    text << std::ifstream(tree).rdbuf();
    const auto json = nlohmann::json::parse(run.output);
    return text.str() + std::string(json["results"][0]["searches"][0]["tuples"].dump()) + " " +
           json["parameters"]["reading"]["repeated"].dump();
  };
  const Outcome save = Bfs({"--graph=" + path, "--ids=compact", "--root=1", "--save=" + saved});
  ASSERT_EQ(save.code, 0) << save.error;
  EXPECT_EQ(tree_of(saved), "1 1 0\n2 1 1\n7 2 2\n9 7 3\n5 1");
  EXPECT_EQ(tree_of(path), tree_of(saved));
}

TEST(Bfs, RefusesWhatItCannotSearchInOneSentence) {
  const std::string bad = FileOf("bad.txt", "0 1\n1 x\n");
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--graph=" + bad}, "bad.txt:2"},
           {{"--graph=/nosuch"}, "/nosuch"},
           {{"--scale=40"}, "40"},
           {{"--keys=0"}, "--keys"},
           {{"--scale=5", "--root=3,32"}, "--root=32"},
           {{"--variant=slow"}, "slow"},
           {{"--labels=own"}, "own"},
           {{"--memory-limit=5G"}, "5G"},
           {{"--alpha=0"}, "--alpha"},
           {{"--scale=5", "--graph=" + bad}, "--graph"},
           {{"--format=nosuch", "--graph=" + bad}, "nosuch"},
           {{"--format=metis"}, "--graph"},
           {{"--symmetrize"}, "--graph"},
           {{"--generator=rmat"}, "--generator"},
           {{"--generator=graph500", "--seed=4"}, "has --seed1 and --seed2"},
           {{"--generator=vicinity", "--seed1=4"}, "has --seed"},
           {{"--seed2=4"}, "--generator"},
           {{"--generator=graph500", "--scale=32"}, "scale 32"},
           {{"--generator=graph500", "--graph=" + bad}, "--generator"},
           {{"--scale=5", "--threads=65536"}, "allowed PUs are too many"}}) {
    const Outcome run = Bfs(arguments);
    EXPECT_EQ(run.code, 2) << arguments[0];
    EXPECT_THAT(run.error, HasSubstr(words));
    EXPECT_THAT(run.error, testing::StartsWith("bfs: "));
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
  }
}

}  // namespace
