#include "apps/bfs/validation/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "apps/bfs/tests/one_answer.h"
#include "apps/bfs/validation/reference.h"
#include "apps/graph/csr.h"
#include "apps/graph/kronecker.h"

namespace bfs {
namespace {

using graph::Edge;
using graph::Vertex;
using testing::HasSubstr;

std::string Validate(Vertex root, const std::vector<Vertex>& parents,
                     const std::vector<Edge>& tuples) {
  const absl::StatusOr<Valid> valid = ValidateOne(root, parents, tuples);
  return valid.ok() ? "valid" : std::string(valid.status().message());
}

// A ring of six vertices with a chord, and two vertices apart:
//   0 - 1 - 2 - 3 - 4 - 5 - 0,  1 - 4,  6 - 7
const std::vector<Edge> kTuples = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}, {1, 4}, {6, 7}};
const std::vector<Vertex> kParents = {0, 0, 1, 2, 1, 0, kNoParent, kNoParent};

std::string WithParent(Vertex vertex, Vertex parent) {
  std::vector<Vertex> parents = kParents;
  parents[vertex] = parent;
  return Validate(0, parents, kTuples);
}

TEST(Validation, ATreeOfShortestPathsIsValid) {
  EXPECT_EQ(Validate(0, kParents, kTuples), "valid");
}

TEST(Validation, ACycleIsFound) {
  std::vector<Vertex> parents = kParents;
  parents[2] = 3;
  EXPECT_THAT(Validate(0, parents, kTuples), HasSubstr("is its own ancestor"));
  EXPECT_THAT(WithParent(4, 4), HasSubstr("vertex 4 is its own ancestor"));
}

TEST(Validation, ACycleIsFoundHoweverLongThePathToItIs) {
  for (Vertex length = 1; length <= 40; ++length) {
    std::vector<Vertex> parents = {0};
    for (Vertex vertex = 1; vertex <= 40; ++vertex) parents.push_back(vertex + 1);
    parents[40] = 41 - length;
    EXPECT_THAT(Validate(0, parents, {}), HasSubstr("is its own ancestor")) << length;
  }
}

TEST(Validation, AParentThatNoTupleJoinsIsFound) {
  // Level 2 as before, by a vertex of level 1 that is no neighbor.
  EXPECT_THAT(WithParent(2, 5), HasSubstr("no tuple joins vertex 2 with its parent 5"));
}

TEST(Validation, APathThatIsNotShortestIsFound) {
  // 0 - 1 - 2 - 3 - 4 - 5, where 5 is a neighbor of 0.
  EXPECT_THAT(Validate(0, {0, 0, 1, 2, 3, 4, kNoParent, kNoParent}, kTuples),
              HasSubstr("joins the levels"));
}

TEST(Validation, AVertexThatWasLeftOutIsFound) {
  EXPECT_THAT(WithParent(3, kNoParent), HasSubstr("leaves the tree: vertex 3 was not reached"));
}

TEST(Validation, AVertexOfAnotherComponentIsFound) {
  std::vector<Vertex> parents = kParents;
  parents[6] = 0;
  parents[7] = 6;
  EXPECT_THAT(Validate(0, parents, kTuples),
              HasSubstr("no tuple joins vertex 6 with its parent 0"));
  EXPECT_THAT(WithParent(3, 7), HasSubstr("vertex 3 has the parent 7, which was not reached"));
}

TEST(Validation, WhatIsNoVertexIsFound) {
  EXPECT_THAT(WithParent(3, 8), HasSubstr("vertex 3 has the parent 8, which is no vertex"));
  EXPECT_THAT(Validate(9, kParents, kTuples), HasSubstr("from 9 is wrong: there are 8 vertices"));
  EXPECT_THAT(Validate(1, kParents, kTuples), HasSubstr("the root is not its own parent"));
  EXPECT_THAT(Validate(0, kParents, {{0, 8}}),
              HasSubstr("the tuple 0 8 has an end that is no vertex"));
}

TEST(Validation, TuplesOfTheComponentAreCountedWithRepeatedOnesAndLoops) {
  std::vector<Edge> tuples = kTuples;
  tuples.insert(tuples.end(), {{1, 0}, {0, 1}, {3, 3}, {6, 6}});
  const absl::StatusOr<Valid> valid = ValidateOne(0, kParents, tuples);
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->component, (Component{.tuples = 10, .vertices = 6, .depth = 3}));
}

// 0 > 1 > 2 > 3, 0 > 2, an arc 3 > 0 back to the root, and 4 > 1 from a vertex that nothing enters.
const std::vector<Edge> kArcs = {{0, 1}, {1, 2}, {2, 3}, {0, 2}, {3, 0}, {4, 1}};

std::string ValidateArcs(Vertex root, const std::vector<Vertex>& parents) {
  const auto valid = ValidateOne(root, parents, kArcs, graph::Direction::kDirected);
  return valid.ok() ? "valid" : std::string(valid.status().message());
}

TEST(ValidationOfArcs, NothingFollowsForAFirstVertexFromTheSecond) {
  const std::vector<Vertex> parents = {0, 0, 0, 2, kNoParent};
  EXPECT_EQ(ValidateArcs(0, parents), "valid");
  const auto valid = ValidateOne(0, parents, kArcs, graph::Direction::kDirected);
  EXPECT_EQ(valid->component, (Component{.tuples = 5, .vertices = 4, .depth = 2}))
      << "the arc 4 1 does not leave a vertex that was reached";
  EXPECT_EQ(ValidateArcs(4, {3, 4, 1, 2, 4}), "valid") << "the arc 3 0 falls by any number";
}

TEST(ValidationOfArcs, ASecondVertexThatWasLeftOutIsFound) {
  EXPECT_THAT(ValidateArcs(0, {0, 0, 0, kNoParent, kNoParent}),
              HasSubstr("the arc 2 3 leaves the tree: vertex 3 was not reached"));
}

TEST(ValidationOfArcs, APathThatIsNotShortestIsFound) {
  EXPECT_THAT(ValidateArcs(0, {0, 0, 1, 2, kNoParent}),
              HasSubstr("the arc 0 2 leads from level 0 to level 2"));
}

TEST(ValidationOfArcs, AParentThatIsJoinedAgainstTheArcIsFound) {
  EXPECT_THAT(ValidateArcs(0, {0, 0, 0, 0, kNoParent}),
              HasSubstr("no arc leads to vertex 3 from its parent 0"));
}

// What is said of the fault is read while others write beside it.
TEST(Validation, AFaultIsFoundWhileOtherThreadsLook) {
  for (int round = 0; round < 100; ++round) {
    Validation validation = RoomFor(kParents.size());
    ASSERT_TRUE(validation.Add(0, kParents).ok());
    ASSERT_TRUE(validation.FindLevels(0, kParents.size()).ok());
    std::string fault;
    {
      const std::jthread right([&] { EXPECT_TRUE(validation.Look(kTuples).ok()); });
      const std::jthread wrong([&] {
        fault = std::string(validation.Look(std::vector<Edge>{{3, 6}}).message());
      });
    }
    EXPECT_THAT(fault, HasSubstr("leaves the tree: vertex 6 was not reached"));
  }
}

// Several keys in one pass over tuples that are made again, by several threads.
TEST(Validation, ThreadsLookAtBlocksOfAGeneratorForSeveralKeysAtOnce) {
  const graph::Kronecker kronecker = {.scale = 10, .seed = 5};
  constexpr std::uint64_t kAll = 16 << 10;
  graph::EdgeList list = {
      .vertices = 1 << 10, .edges = std::vector<Edge>(kAll), .terminals = {}, .max_length = {}};
  graph::Generate(kronecker, 0, list.edges);
  const graph::Csr csr = graph::BuildCsr(list);

  Validation validation = RoomFor(list.vertices);
  for (Vertex root = 0; validation.keys() < Validation::kKeys; ++root) {
    if (csr.degree(root) == 0) continue;
    const std::vector<std::int32_t> depths = DepthsFrom(csr, root);
    std::vector<Vertex> parents(list.vertices, kNoParent);
    parents[root] = root;
    for (Vertex vertex = 0; vertex < list.vertices; ++vertex) {
      for (const Vertex neighbor : csr.of(vertex)) {
        if (depths[vertex] > 0 && depths[neighbor] == depths[vertex] - 1)
          parents[vertex] = neighbor;
      }
    }
    ASSERT_TRUE(validation.Add(root, parents).ok());
  }
  const auto by_threads = [](const auto& body) {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) threads.emplace_back(body, thread);
  };
  by_threads([&](std::uint64_t thread) {
    EXPECT_TRUE(validation.FindLevels(thread * 1024 / 3, (thread + 1) * 1024 / 3).ok());
  });
  by_threads([&](std::uint64_t thread) {
    std::vector<Edge> block(512);
    for (std::uint64_t first = thread * 512; first < kAll; first += 3 * 512) {
      graph::Generate(kronecker, first, block);
      EXPECT_TRUE(validation.Look(block).ok());
    }
  });
  by_threads([&](std::uint64_t thread) {
    EXPECT_TRUE(validation.Finish(thread * 1024 / 3, (thread + 1) * 1024 / 3).ok());
  });
  for (std::size_t key = 0; key < validation.keys(); ++key) {
    EXPECT_GT(validation.component(key).tuples, 10'000);
    EXPECT_EQ(validation.component(key).vertices, validation.component(0).vertices);
  }
}

}  // namespace
}  // namespace bfs
