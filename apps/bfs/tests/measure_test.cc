// Right and wrong answers, which the test makes: what is said of each key, in groups that are
// validated side by side, by threads that have a share of vertices and tuples each.
#include "apps/bfs/measure/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "apps/bfs/validation/reference.h"
#include "apps/graph/csr.h"
#include "apps/graph/kronecker.h"

namespace bfs {
namespace {

using graph::Vertex;
using testing::HasSubstr;

constexpr graph::Kronecker kGraph = {.scale = 10, .seed = 2};  // several blocks of tuples
constexpr std::size_t kKeysAndMore = 70;                       // more than are validated at once

class Measure : public testing::Test {
 protected:
  Measure() {
    list_.vertices = kGraph.vertices();
    list_.edges.resize(kGraph.edges());
    graph::Generate(kGraph, 0, list_.edges);
    csr_ = graph::BuildCsr(list_);
    for (Vertex vertex = 0; keys_.size() < kKeysAndMore; ++vertex) {
      if (csr_.degree(vertex) > 0) keys_.push_back(vertex);
    }
    for (const Vertex key : keys_) trees_.push_back(TreeFrom(key));
  }

  std::vector<Vertex> TreeFrom(Vertex root) const {
    const std::vector<std::int32_t> depths = DepthsFrom(csr_, root);
    std::vector<Vertex> parents(list_.vertices, kNoParent);
    parents[root] = root;
    for (Vertex child = 0; child < list_.vertices; ++child) {
      for (const Vertex neighbor : csr_.of(child)) {
        if (depths[child] > 0 && depths[neighbor] == depths[child] - 1) parents[child] = neighbor;
      }
    }
    return parents;
  }

  // A vertex from `first` on, and one that is a level nearer to the root, but no neighbor.
  std::pair<Vertex, Vertex> WithoutEdge(const std::vector<std::int32_t>& depths,
                                        Vertex first) const {
    for (Vertex vertex = first; vertex < list_.vertices; ++vertex) {
      const auto neighbors = csr_.of(vertex);
      for (Vertex other = 0; depths[vertex] > 1 && other < list_.vertices; ++other) {
        if (depths[other] == depths[vertex] - 1 &&
            std::find(neighbors.begin(), neighbors.end(), other) == neighbors.end()) {
          return {vertex, other};
        }
      }
    }
    return {kNoParent, kNoParent};
  }

  // The answer of `wrong_key` has this parent of that vertex.
  absl::StatusOr<std::vector<Searched>> Searches(std::size_t wrong_key, Vertex vertex,
                                                 Vertex parent, const Witness& witness = {}) {
    const Searcher searcher = [&](std::span<const Vertex> keys, const auto& done) {
      for (const Vertex key : keys) {
        const auto number =
            static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), key) - keys_.begin());
        std::vector<Vertex> parents = trees_[number];
        if (number == wrong_key) parents[vertex] = parent;
        done({.root = key, .seconds = 1, .parents = parents, .steps = {{}}});
      }
      return absl::OkStatus();
    };
    const topo::Topology machine = *topo::FromSynthetic("pack:3 [numa] core:1 pu:1");
    return SearchAndValidate(
        machine, topo::Plan(machine, topo::Policy::kScatter, 3)->Unbound(),
        Tuples::Listed("list", list_), keys_, searcher, [](const std::string&) {}, witness);
  }

  graph::EdgeList list_;
  graph::Csr csr_;
  std::vector<Vertex> keys_;
  std::vector<std::vector<Vertex>> trees_;  // of each key
};

TEST_F(Measure, EachKeyHasItsComponentAndItsTree) {
  std::size_t witnessed = 0;
  const auto searched =
      Searches(0, keys_[0], keys_[0], [&](const Validation& answers, std::size_t key) {
        const Vertex root = keys_[witnessed++];
        const std::vector<std::int32_t> depths = DepthsFrom(csr_, root);
        for (Vertex vertex = 0; vertex < list_.vertices; ++vertex) {
          ASSERT_EQ(std::max(-1, answers.level(key, vertex)), depths[vertex]) << root;
        }
        EXPECT_EQ(answers.parent(key, root), root);
      });
  ASSERT_TRUE(searched.ok()) << searched.status();
  EXPECT_EQ(witnessed, keys_.size());
  ASSERT_EQ(searched->size(), keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::vector<std::int32_t> depths = DepthsFrom(csr_, keys_[i]);
    Component expected;
    for (const std::int32_t depth : depths) {
      expected.vertices += depth != kUnreached;
      expected.depth = std::max(expected.depth, depth);
    }
    for (const graph::Edge& tuple : list_.edges) expected.tuples += depths[tuple.from] >= 0;
    EXPECT_EQ((*searched)[i].root, keys_[i]);
    EXPECT_EQ((*searched)[i].component, expected) << "key " << i;
    EXPECT_EQ((*searched)[i].levels, 1u) << "key " << i;
    EXPECT_EQ((*searched)[i].steps.size(), 1u) << "key " << i;
    EXPECT_GT((*searched)[i].validation_seconds, 0) << "key " << i;
  }
}

// Each key has one fault of three, at a vertex of one of the three threads.
TEST_F(Measure, AWrongAnswerOfAnyKeyIsFoundWhicheverThreadSeesIt) {
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    const Vertex root = keys_[key];
    const std::vector<std::int32_t> depths = DepthsFrom(csr_, root);
    const auto first = static_cast<Vertex>(key / 3 % 3 * list_.vertices / 3);
    const auto [vertex, stranger] = WithoutEdge(depths, first);
    ASSERT_LT(vertex, first + list_.vertices / 3) << "another thread's";
    const std::pair<Vertex, std::string> faults[] = {{kNoParent, "was not reached"},
                                                     {vertex, "is its own ancestor"},
                                                     {stranger, "no tuple joins vertex"}};
    const auto& [parent, fault] = faults[key % 3];
    const auto searched = Searches(key, vertex, parent);
    ASSERT_FALSE(searched.ok()) << "key " << key << ": " << fault;
    EXPECT_THAT(std::string(searched.status().message()),
                testing::AllOf(HasSubstr("the search from " + std::to_string(root) + " is wrong"),
                               HasSubstr(fault)));
  }
}

// A road: 64 of its searches would keep megabytes of levels.
TEST_F(Measure, TheFirstLevelsOfALongSearchAreKept) {
  const topo::Topology machine = *topo::FromSynthetic("core:1 pu:1");
  const std::vector<Vertex> keys = {0}, parents = {0, 0};
  const Searcher searcher = [&](std::span<const Vertex>, const auto& done) {
    std::vector<Step> steps(kLevelsKept + 5);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].frontier = static_cast<std::int64_t>(i);
    done({.root = 0, .seconds = 1, .parents = parents, .steps = steps});
    return absl::OkStatus();
  };
  const auto searched = SearchAndValidate(
      machine, topo::Plan(machine, topo::Policy::kNone, 1)->Unbound(),
      Tuples::Listed("pair", {.vertices = 2, .edges = {{0, 1}}, .terminals = {}, .max_length = {}}),
      keys, searcher, [](const std::string&) {});
  ASSERT_TRUE(searched.ok()) << searched.status();
  EXPECT_EQ(searched->front().levels, kLevelsKept + 5);
  ASSERT_EQ(searched->front().steps.size(), kLevelsKept);
  EXPECT_EQ(searched->front().steps.back().frontier, std::int64_t{kLevelsKept} - 1);
}

TEST_F(Measure, ARootThatIsNotItsOwnParentIsFound) {
  for (const std::size_t key : {std::size_t{0}, keys_.size() - 1}) {
    const auto searched = Searches(key, keys_[key], kNoParent);
    ASSERT_FALSE(searched.ok());
    EXPECT_THAT(std::string(searched.status().message()),
                HasSubstr("the root is not its own parent"));
  }
}

}  // namespace
}  // namespace bfs
