// What is found about a sparse factorization without values, beside an elimination element by
// element.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/sdpa/sparse/assembly_plan.h"
#include "apps/sdpa/sparse/at.h"
#include "apps/sdpa/sparse/elimination_tree.h"
#include "apps/sdpa/sparse/ordering.h"
#include "apps/sdpa/sparse/sparse_pattern.h"
#include "apps/sdpa/sparse/supernodes.h"
#include "apps/sdpa/tests/sparse_patterns.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

// By column of L, its rows below the diagonal.
std::vector<std::set<int>> EliminatedOneByOne(const SparsePattern& pattern) {
  std::vector<std::set<int>> columns(At(pattern.size()));
  for (int j = 0; j < pattern.size(); ++j) {
    for (const int i : pattern.column(j).subspan(1)) columns[At(j)].insert(i);
  }
  for (const std::set<int>& column : columns) {
    for (auto j = column.begin(); j != column.end(); ++j) {
      columns[At(*j)].insert(std::next(j), column.end());
    }
  }
  return columns;
}

std::uint64_t ElementsOf(const std::vector<std::set<int>>& columns) {
  std::uint64_t elements = 0;
  for (const std::set<int>& column : columns) elements += column.size() + 1;
  return elements;
}

// In a postorder of its tree.
ReorderedPattern InPostorder(const SparsePattern& pattern) {
  return Reorder(pattern, Postorder(EliminationTree(pattern)));
}

Supernodes SupernodesOf(const SparsePattern& pattern, std::span<const JoinRule> rules) {
  const std::vector<int> parents = EliminationTree(pattern);
  return FindSupernodes(pattern, parents, ColumnCounts(pattern, parents), rules);
}

template <typename Check>
void ForRandomPatterns(std::uint64_t count, const Check& check) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(count);
  std::printf("patterns from VICINITY_RANDOM_SEED=%ju on\n", static_cast<std::uintmax_t>(first));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE("VICINITY_RANDOM_PROGRAMS=1 VICINITY_RANDOM_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    check(RandomPattern(random), random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SparseElimination, KeepsEachElementWhenColumnsAreReordered) {
  ForRandomPatterns(100, [](const SparsePattern& pattern, std::mt19937_64& random) {
    std::vector<int> order(At(pattern.size()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const ReorderedPattern reordered = Reorder(pattern, order);
    ASSERT_EQ(reordered.pattern.elements(), pattern.elements());
    std::set<std::size_t> sources;
    for (int j = 0; j < pattern.size(); ++j) {
      const std::span<const int> rows = reordered.pattern.column(j);
      EXPECT_EQ(rows[0], j);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        EXPECT_GE(rows[k], j);
        const std::size_t source = reordered.sources[reordered.pattern.column_begin[At(j)] + k];
        EXPECT_TRUE(sources.insert(source).second);
        const auto [column, row] = std::minmax({order[At(j)], order[At(rows[k])]});
        EXPECT_EQ(pattern.rows[source], row);
        EXPECT_GE(source, pattern.column_begin[At(column)]);
        EXPECT_LT(source, pattern.column_begin[At(column) + 1]);
      }
    }
  });
}

TEST(SparseElimination, FindsTheTreeThatEliminationMakes) {
  ForRandomPatterns(300, [](const SparsePattern& pattern, std::mt19937_64&) {
    const std::vector<std::set<int>> columns = EliminatedOneByOne(pattern);
    const std::vector<int> parents = EliminationTree(pattern);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      EXPECT_EQ(parents[j], columns[j].empty() ? kNone : *columns[j].begin());
    }
  });
}

TEST(SparseElimination, HasEachSubtreeOnItsOwnInPostorder) {
  ForRandomPatterns(300, [](const SparsePattern& pattern, std::mt19937_64&) {
    const std::vector<int> order = Postorder(EliminationTree(pattern));
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), At(pattern.size()));
    ASSERT_EQ(order.size(), At(pattern.size()));
    const ReorderedPattern reordered = Reorder(pattern, order);
    const std::vector<int> parents = EliminationTree(reordered.pattern);
    // The columns of a subtree are as many before its root as it has.
    std::vector<int> sizes(parents.size(), 1), first(parents.size());
    for (std::size_t j = 0; j < parents.size(); ++j) {
      first[j] = static_cast<int>(j) - sizes[j] + 1;
      if (parents[j] == kNone) continue;
      ASSERT_GT(parents[j], static_cast<int>(j));
      sizes[At(parents[j])] += sizes[j];
    }
    for (std::size_t j = 0; j < parents.size(); ++j) {
      if (parents[j] == kNone) continue;
      EXPECT_GE(first[j], first[At(parents[j])]);
    }
    EXPECT_EQ(ElementsOf(EliminatedOneByOne(reordered.pattern)),
              ElementsOf(EliminatedOneByOne(pattern)));
  });
}

TEST(SparseElimination, CountsWhatEliminationMakes) {
  ForRandomPatterns(300, [](const SparsePattern& given, std::mt19937_64&) {
    const SparsePattern pattern = InPostorder(given).pattern;
    const std::vector<std::set<int>> columns = EliminatedOneByOne(pattern);
    const std::vector<int> counts = ColumnCounts(pattern, EliminationTree(pattern));
    for (std::size_t j = 0; j < columns.size(); ++j)
      EXPECT_EQ(At(counts[j]), columns[j].size() + 1);
  });
}

TEST(SparseElimination, HasSupernodesOfTheRowsThatEliminationMakes) {
  ForRandomPatterns(300, [](const SparsePattern& given, std::mt19937_64&) {
    const SparsePattern pattern = InPostorder(given).pattern;
    const std::vector<std::set<int>> columns = EliminatedOneByOne(pattern);
    const Supernodes supernodes = SupernodesOf(pattern, {});
    std::uint64_t elements = 0;
    double flops = 0;
    for (int s = 0; s < supernodes.size(); ++s) {
      const std::span<const int> below = supernodes.rows_below(s);
      const int end = supernodes.first_column(s) + supernodes.columns(s);
      for (int j = supernodes.first_column(s); j < end; ++j) {
        std::vector<int> rows;
        for (int i = j + 1; i < end; ++i) rows.push_back(i);
        rows.insert(rows.end(), below.begin(), below.end());
        EXPECT_EQ(std::vector<int>(columns[At(j)].begin(), columns[At(j)].end()), rows);
        const double count = static_cast<double>(rows.size()) + 1;
        flops += count * count;
      }
      elements += At(supernodes.columns(s)) * At(supernodes.front_rows(s));
    }
    EXPECT_EQ(supernodes.column_begin.back(), pattern.size());
    EXPECT_EQ(WorkOf(supernodes).factor_elements, elements);
    EXPECT_EQ(WorkOf(supernodes).flops, flops);
  });
}

TEST(SparseElimination, JoinsSupernodesWithoutLosingRows) {
  ForRandomPatterns(300, [](const SparsePattern& given, std::mt19937_64&) {
    const SparsePattern pattern = InPostorder(given).pattern;
    const std::vector<std::set<int>> columns = EliminatedOneByOne(pattern);
    const Supernodes supernodes = SupernodesOf(pattern, DefaultJoinRules());
    EXPECT_LE(supernodes.size(), SupernodesOf(pattern, {}).size());
    const std::vector<int> front_rows = FrontRows(pattern, supernodes);
    std::vector<std::vector<int>> fronts;
    for (int s = 0; s < supernodes.size(); ++s) {
      std::vector<int>& front = fronts.emplace_back();
      const int end = supernodes.first_column(s) + supernodes.columns(s);
      for (int j = supernodes.first_column(s); j < end; ++j) front.push_back(j);
      const std::span<const int> below = supernodes.rows_below(s);
      front.insert(front.end(), below.begin(), below.end());
      EXPECT_TRUE(std::is_sorted(front.begin(), front.end()));
      for (int j = supernodes.first_column(s); j < end; ++j) {
        EXPECT_TRUE(std::includes(front.begin(), front.end(), columns[At(j)].begin(),
                                  columns[At(j)].end()));
        for (std::size_t k = pattern.column_begin[At(j)]; k < pattern.column_begin[At(j) + 1];
             ++k) {
          EXPECT_EQ(front[At(front_rows[k])], pattern.rows[k]);
        }
      }
    }
    for (int s = 0; s < supernodes.size(); ++s) {
      const std::span<const int> below = supernodes.rows_below(s),
                                 places = supernodes.places_below(s);
      const int parent = supernodes.parents[At(s)];
      ASSERT_EQ(parent == kNone, below.empty());
      if (parent == kNone) continue;
      ASSERT_GT(parent, s);
      const std::span<const int> children = supernodes.children_of(parent);
      EXPECT_EQ(std::count(children.begin(), children.end(), s), 1);
      for (std::size_t k = 0; k < below.size(); ++k) {
        EXPECT_EQ(fronts[At(parent)][At(places[k])], below[k]);
      }
    }
    EXPECT_EQ(static_cast<int>(supernodes.children.size()),
              std::count_if(supernodes.parents.begin(), supernodes.parents.end(),
                            [](int parent) { return parent != kNone; }));
  });
}

// Runs in any order, and what each makes possible.
TEST(SparseElimination, PlansEachSupernodeOnceAfterItsChildren) {
  ForRandomPatterns(300, [](const SparsePattern& given, std::mt19937_64& random) {
    const Supernodes supernodes =
        SupernodesOf(InPostorder(given).pattern,
                     random() % 2 == 0 ? DefaultJoinRules() : std::span<const JoinRule>());
    AssemblyPlan plan = PlanAssembly(supernodes, static_cast<double>(1 + random() % 20'000));
    std::shuffle(plan.subtrees.begin(), plan.subtrees.end(), random);
    std::vector<int> is_computed(At(supernodes.size()), 0);
    const auto compute = [&](int s) {
      EXPECT_EQ(is_computed[At(s)]++, 0);
      for (const int child : supernodes.children_of(s)) EXPECT_EQ(is_computed[At(child)], 1);
    };
    for (const Subtrees& run : plan.subtrees) {
      for (int s = run.begin; s < run.end; ++s) compute(s);
      for (int s = run.parent; s != kNone && --plan.waits_for[At(s)] == 0;
           s = supernodes.parents[At(s)]) {
        compute(s);
      }
    }
    EXPECT_EQ(std::count(is_computed.begin(), is_computed.end(), 1), supernodes.size());
  });
}

// As threads do, which come to what is ready in any order: each piece goes on from front to front.
std::uint64_t UpdatesOf(const Supernodes& supernodes, AssemblyPlan plan, std::mt19937_64& random) {
  std::uint64_t held = 0, most = 0;
  const auto compute = [&](int s) {
    held += UpdateElements(supernodes, s);
    most = std::max(most, held);
    for (const int child : supernodes.children_of(s)) held -= UpdateElements(supernodes, child);
  };
  std::vector<Subtrees> ready = plan.subtrees;  // what is left of each
  while (!ready.empty()) {
    const std::size_t next = random() % ready.size();
    Subtrees& piece = ready[next];
    if (piece.begin < piece.end) {
      compute(piece.begin++);
      continue;
    }
    const int parent = piece.parent;
    if (parent == kNone || --plan.waits_for[At(parent)] > 0) {
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(next));
      continue;
    }
    piece = {parent, parent + 1, supernodes.parents[At(parent)]};
  }
  EXPECT_EQ(held, 0u);
  return most;
}

TEST(SparseElimination, KnowsTheMostUpdatesOfAnyOrder) {
  ForRandomPatterns(300, [](const SparsePattern& given, std::mt19937_64& random) {
    const SparsePattern ordered = InPostorder(given).pattern;
    const Supernodes supernodes = SupernodesOf(ordered, DefaultJoinRules());
    const AssemblyPlan plan = PlanAssembly(supernodes, static_cast<double>(1 + random() % 20'000));
    const std::uint64_t known = UpdatesInAnyOrder(supernodes, plan);
    EXPECT_GE(known, WorkOf(supernodes).update_elements);
    for (int times = 0; times < 5; ++times) {
      EXPECT_LE(UpdatesOf(supernodes, plan, random), known);
    }
  });
  // Threads side by side hold more than one does.
  std::mt19937_64 random(1);
  const SparsePattern grid = Reorder(Grid(40), MinimumDegreeOrder(Grid(40))).pattern;
  const Supernodes supernodes = SupernodesOf(InPostorder(grid).pattern, DefaultJoinRules());
  const AssemblyPlan plan = PlanAssembly(supernodes, 1000);
  const std::uint64_t held = UpdatesOf(supernodes, plan, random),
                      known = UpdatesInAnyOrder(supernodes, plan);
  std::printf("updates of a grid: %ju by one, %ju at once, %ju at most\n",
              static_cast<std::uintmax_t>(WorkOf(supernodes).update_elements),
              static_cast<std::uintmax_t>(held), static_cast<std::uintmax_t>(known));
  EXPECT_GT(held, WorkOf(supernodes).update_elements);
  EXPECT_LE(held, known);
}

TEST(SparseElimination, PlansOneRunForLittleWorkAndSeveralForMuch) {
  const auto runs = [](const SparsePattern& pattern) {
    const SparsePattern ordered =
        InPostorder(Reorder(pattern, MinimumDegreeOrder(pattern)).pattern).pattern;
    return PlanAssembly(SupernodesOf(ordered, DefaultJoinRules())).subtrees.size();
  };
  EXPECT_EQ(runs(Grid(10)), 1u);
  EXPECT_EQ(runs(Cliques(1000, 3, 3)), 1u);
  EXPECT_GT(runs(Grid(100)), 4u);
  EXPECT_GT(runs(Cliques(100'000, 3, 3)), 4u);
}

TEST(SparseElimination, IsNotStoppedByATreeThatIsAChain) {
  const SparsePattern chain = Cliques(50'000, 2, 1);
  const std::vector<int> parents = EliminationTree(chain);
  const std::vector<int> order = Postorder(parents);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  const Supernodes supernodes = SupernodesOf(chain, {});
  EXPECT_EQ(supernodes.size(), 50'000 - 1) << "the last two columns are one";
  EXPECT_EQ(WorkOf(supernodes).update_elements, 2u) << "a child's and its parent's";
}

TEST(SparseElimination, GetsFewerElementsOfAGridInTheOrderOfMinimumDegrees) {
  const SparsePattern grid = Grid(20);
  const std::vector<int> order = MinimumDegreeOrder(grid);
  EXPECT_EQ(order, MinimumDegreeOrder(grid));
  // The rows of the grid one after the other: 20 elements a column.
  const std::uint64_t natural = ElementsOf(EliminatedOneByOne(grid));
  EXPECT_GT(natural, 20u * 20 * 19);
  EXPECT_LT(ElementsOf(EliminatedOneByOne(Reorder(grid, order).pattern)), natural / 2);
}

TEST(SparseElimination, OrdersAnEmptyPatternAndAFullOne) {
  EXPECT_TRUE(MinimumDegreeOrder({}).empty());
  EXPECT_EQ(MinimumDegreeOrder(Full(30)).size(), 30u);
  EXPECT_EQ(SupernodesOf(Full(30), {}).size(), 1);
}

}  // namespace
}  // namespace sdpa
