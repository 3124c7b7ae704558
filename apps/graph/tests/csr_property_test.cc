// Rows and relabelings of random small graphs, against matrices of counts.
// tools/random/seeds.h describes how to run others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "apps/graph/count_edges.h"
#include "apps/graph/csr.h"
#include "apps/graph/relabel.h"
#include "tools/random/seeds.h"

namespace graph {
namespace {

EdgeList RandomList(std::mt19937_64& random) {
  EdgeList list;
  list.vertices = random() % 9;
  if (list.vertices == 0) return list;
  if (random() % 2 == 0) list.direction = Direction::kDirected;
  const auto vertex = [&] { return static_cast<Vertex>(random() % list.vertices); };
  for (std::uint64_t i = random() % 30; i > 0; --i) list.edges.push_back({vertex(), vertex()});
  list.terminals.push_back({vertex(), vertex()});
  return list;
}

using Matrix = std::vector<std::vector<int>>;

// How often each vertex has each as its neighbor.
Matrix NeighborsOf(const EdgeList& list, CsrOptions options) {
  Matrix matrix(list.vertices, std::vector<int>(list.vertices));
  for (const auto [from, to] : list.edges) {
    if (from != to) {
      ++matrix[from][to];
      ++matrix[to][from];
    } else if (options.self_loops == Keep::kYes) {
      ++matrix[from][from];
    }
  }
  if (options.repeated == Keep::kNo) {
    for (auto& row : matrix) {
      for (int& count : row) count = std::min(count, 1);
    }
  }
  return matrix;
}

Matrix NeighborsOf(const Csr& csr) {
  Matrix matrix(csr.vertices(), std::vector<int>(csr.vertices()));
  for (Vertex vertex = 0; vertex < csr.vertices(); ++vertex) {
    for (const Vertex neighbor : csr.of(vertex)) ++matrix[vertex][neighbor];
  }
  return matrix;
}

void ExpectRowsAscend(const Csr& csr) {
  ASSERT_EQ(csr.offsets.front(), 0u);
  ASSERT_EQ(csr.offsets.back(), csr.neighbors.size());
  for (Vertex vertex = 0; vertex < csr.vertices(); ++vertex) {
    ASSERT_LE(csr.offsets[vertex], csr.offsets[vertex + 1]);
    ASSERT_TRUE(std::is_sorted(csr.of(vertex).begin(), csr.of(vertex).end()));
  }
}

template <typename Property>
void ForRandomLists(Property property) {
  const std::uint64_t first = random_programs::FirstSeed();
  std::printf("graphs from VICINITY_RANDOM_SEED=%llu on\n", static_cast<unsigned long long>(first));
  for (std::uint64_t seed = first; seed < first + random_programs::Programs(2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    property(RandomList(random));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CsrProperty, RowsHaveTheNeighborsThatTheMatrixHas) {
  ForRandomLists([](const EdgeList& list) {
    for (const Keep self_loops : {Keep::kNo, Keep::kYes}) {
      for (const Keep repeated : {Keep::kNo, Keep::kYes}) {
        const CsrOptions options = {self_loops, repeated};
        const Csr csr = BuildCsr(list, options);
        ASSERT_EQ(csr.vertices(), list.vertices);
        ExpectRowsAscend(csr);
        ASSERT_EQ(NeighborsOf(csr), NeighborsOf(list, options));
      }
    }
  });
}

TEST(CsrProperty, WhatCountEdgesCountsIsWhatIsDropped) {
  ForRandomLists([](EdgeList list) {
    list.direction = Direction::kUndirected;
    const EdgeCounts counts = CountEdges(list);
    ASSERT_EQ(BuildCsr(list).neighbors.size() / 2,
              list.edges.size() - counts.self_loops - counts.repeated);
  });
}

TEST(RelabelProperty, DegreesDescendAndEqualOnesKeepTheirOrder) {
  ForRandomLists([](const EdgeList& list) {
    const Csr csr = BuildCsr(list);
    const Relabeling relabeling = ByDescendingDegree(csr);
    ASSERT_EQ(relabeling.old_of_new.size(), list.vertices);
    for (Vertex i = 0; i < list.vertices; ++i) {
      ASSERT_EQ(relabeling.new_of_old[relabeling.old_of_new[i]], i);
      if (i == 0) continue;
      const Vertex before = relabeling.old_of_new[i - 1];
      const Vertex vertex = relabeling.old_of_new[i];
      ASSERT_TRUE(csr.degree(before) > csr.degree(vertex) ||
                  (csr.degree(before) == csr.degree(vertex) && before < vertex));
    }
  });
}

TEST(RelabelProperty, RowsOfRelabeledEdgesAreTheRelabeledRows) {
  ForRandomLists([](const EdgeList& list) {
    for (const Keep repeated : {Keep::kNo, Keep::kYes}) {
      const CsrOptions options = {Keep::kYes, repeated};
      const Csr csr = BuildCsr(list, options);
      const Relabeling relabeling = ByDescendingDegree(csr);
      ASSERT_TRUE(BuildCsr(Relabel(list, relabeling), options) == Relabel(csr, relabeling));
      for (Vertex vertex = 0; vertex < list.vertices; ++vertex) {
        ASSERT_EQ(Relabel(csr, relabeling).degree(relabeling.new_of_old[vertex]),
                  csr.degree(vertex));
      }
    }
  });
}

TEST(RelabelProperty, TheInverseGivesTheGraphBack) {
  ForRandomLists([](const EdgeList& list) {
    const Csr csr = BuildCsr(list);
    const Relabeling relabeling = ByDescendingDegree(csr);
    ASSERT_TRUE(Relabel(Relabel(csr, relabeling), relabeling.Inverse()) == csr);
    ASSERT_TRUE(Relabel(Relabel(list, relabeling), relabeling.Inverse()) == list);
    ASSERT_TRUE(relabeling.Inverse().Inverse() == relabeling);
  });
}

}  // namespace
}  // namespace graph
