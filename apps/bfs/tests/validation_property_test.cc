// Random small graphs and parents, right and wrong, against the definition: parents are valid where
// each is a neighbor one step nearer to the root, for all vertices that the root reaches and no
// other. tools/random/seeds.h describes how to run others.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <vector>

#include "apps/bfs/reference.h"
#include "apps/bfs/validation.h"
#include "apps/graph/csr.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

using graph::Vertex;

bool IsValid(const graph::Csr& csr, Vertex root, const std::vector<Vertex>& parents) {
  const std::vector<std::int32_t> depths = DepthsFrom(csr, root);
  for (Vertex vertex = 0; vertex < csr.vertices(); ++vertex) {
    const Vertex parent = parents[vertex];
    if (vertex == root) {
      if (parent != root) return false;
    } else if (depths[vertex] == kUnreached) {
      if (parent != kNoParent) return false;
    } else {
      bool is_nearer = false;
      for (const Vertex neighbor : csr.of(vertex)) {
        is_nearer = is_nearer || (neighbor == parent && depths[neighbor] == depths[vertex] - 1);
      }
      if (!is_nearer) return false;
    }
  }
  return true;
}

bool Passes(const graph::EdgeList& list, Vertex root, const std::vector<Vertex>& parents) {
  auto validation = Validation::Begin(root, parents);
  return validation.ok() && validation->Look(list.edges).ok() && validation->End().ok();
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
    const graph::Csr csr = graph::BuildCsr(list);
    const Vertex root = vertex();

    const std::vector<std::int32_t> depths = DepthsFrom(csr, root);
    std::vector<Vertex> parents(list.vertices, kNoParent);
    parents[root] = root;
    for (Vertex child = 0; child < list.vertices; ++child) {
      for (const Vertex neighbor : csr.of(child)) {
        const bool is_nearer = depths[child] > 0 && depths[neighbor] == depths[child] - 1;
        if (is_nearer && (parents[child] == kNoParent || random() % 2 == 0))
          parents[child] = neighbor;
      }
    }
    // None, one or several wrong parents, of which some happen to be right.
    for (std::uint64_t wrong = random() % 3; wrong > 0; --wrong) {
      parents[vertex()] =
          random() % 5 == 0 ? kNoParent : static_cast<Vertex>(random() % (list.vertices + 1));
    }
    const bool expected = IsValid(csr, root, parents);
    ASSERT_EQ(Passes(list, root, parents), expected) << "seed " << seed;
    ++(expected ? passed : refused);
  }
  EXPECT_GT(passed, programs / 10);
  EXPECT_GT(refused, programs / 10);
}

}  // namespace
}  // namespace bfs
