// Random small graphs and parents, right and wrong, against the definition: parents are valid where
// each is a neighbor one step nearer to the root, for all vertices that the root reaches and no
// other. tools/random/seeds.h describes how to run others.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "apps/bfs/tests/one_answer.h"
#include "apps/bfs/tests/random_graphs.h"
#include "apps/bfs/validation/reference.h"
#include "apps/bfs/validation/validation.h"
#include "apps/graph/csr.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

using graph::Vertex;

// Rows of `out` have heads, rows of `in` have tails of edges.
bool IsValid(const graph::Csr& out, const graph::Csr& in, Vertex root,
             const std::vector<Vertex>& parents) {
  const std::vector<std::int32_t> depths = DepthsFrom(out, root);
  for (Vertex vertex = 0; vertex < in.vertices(); ++vertex) {
    const Vertex parent = parents[vertex];
    if (vertex == root) {
      if (parent != root) return false;
    } else if (depths[vertex] == kUnreached) {
      if (parent != kNoParent) return false;
    } else {
      bool is_nearer = false;
      for (const Vertex neighbor : in.of(vertex)) {
        is_nearer = is_nearer || (neighbor == parent && depths[neighbor] == depths[vertex] - 1);
      }
      if (!is_nearer) return false;
    }
  }
  return true;
}

// A right answer: the parent of a vertex is any neighbor that is one step nearer to the root.
std::vector<Vertex> RandomTree(const graph::Csr& out, const graph::Csr& in, Vertex root,
                               std::mt19937_64& random) {
  const std::vector<std::int32_t> depths = DepthsFrom(out, root);
  std::vector<Vertex> parents(in.vertices(), kNoParent);
  parents[root] = root;
  for (Vertex child = 0; child < in.vertices(); ++child) {
    for (const Vertex neighbor : in.of(child)) {
      const bool is_nearer = depths[child] > 0 && depths[neighbor] == depths[child] - 1;
      if (is_nearer && (parents[child] == kNoParent || random() % 2 == 0)) {
        parents[child] = neighbor;
      }
    }
  }
  return parents;
}

// Vertices and tuples come in two parts, as by two threads.
bool Passes(Validation& validation, std::span<const graph::Edge> tuples, std::uint64_t part) {
  const std::uint64_t vertices = validation.vertices();
  const std::uint64_t vertex = part % (vertices + 1), tuple = part % (tuples.size() + 1);
  return validation.FindLevels(vertex, vertices).ok() && validation.FindLevels(0, vertex).ok() &&
         validation.Look(tuples.first(tuple)).ok() && validation.Look(tuples.subspan(tuple)).ok() &&
         validation.Finish(0, vertex).ok() && validation.Finish(vertex, vertices).ok();
}

TEST(Validation, PassesExactlyTheTreesOfShortestPaths) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(3000);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t passed = 0, refused = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    graph::EdgeList list;
    list.vertices = 1 + random() % 9;
    const auto vertex = [&] { return static_cast<Vertex>(random() % list.vertices); };
    for (std::uint64_t i = random() % 25; i > 0; --i) list.edges.push_back({vertex(), vertex()});
    if (random() % 2 == 0) list.direction = graph::Direction::kDirected;
    const graph::Csr out = RowsToFollow(list);
    graph::EdgeList reversed = list;
    for (auto& [from, to] : reversed.edges) std::swap(from, to);
    const graph::Csr in = RowsToFollow(reversed);

    // None, one or several wrong parents, of which some happen to be right, in one of some answers.
    Validation validation = RoomFor(list.vertices, list.direction);
    const std::uint64_t keys = 1 + random() % Validation::kKeys, wrong_key = random() % keys;
    bool expected = true, added = true;
    for (std::uint64_t key = 0; key < keys && added; ++key) {
      const Vertex root = vertex();
      std::vector<Vertex> parents = RandomTree(out, in, root, random);
      for (std::uint64_t wrong = key == wrong_key ? random() % 3 : 0; wrong > 0; --wrong) {
        parents[vertex()] =
            random() % 5 == 0 ? kNoParent : static_cast<Vertex>(random() % (list.vertices + 1));
      }
      expected = expected && IsValid(out, in, root, parents);
      added = validation.Add(root, parents).ok();
    }
    ASSERT_EQ(added && Passes(validation, list.edges, random()), expected) << "seed " << seed;
    ++(expected ? passed : refused);
  }
  EXPECT_GT(passed, programs / 10);
  EXPECT_GT(refused, programs / 10);
}

}  // namespace
}  // namespace bfs
