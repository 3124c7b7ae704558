// [ULIBC14] tables 2, 3 and 4, typed in cell by cell.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "topo/mapping.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

// Table 2: rows are (package, SMT ID), columns Core ID.
constexpr int kTable2[4][2][8] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}, {32, 33, 34, 35, 36, 37, 38, 39}},
    {{8, 9, 10, 11, 12, 13, 14, 15}, {40, 41, 42, 43, 44, 45, 46, 47}},
    {{16, 17, 18, 19, 20, 21, 22, 23}, {48, 49, 50, 51, 52, 53, 54, 55}},
    {{24, 25, 26, 27, 28, 29, 30, 31}, {56, 57, 58, 59, 60, 61, 62, 63}},
};

// Table 3: thread ID -> Processor ID, eight threads a row.
constexpr std::array<int, 64> kScatterTable = {
    0,  8,  16, 24, 1,  9,  17, 25,  //
    2,  10, 18, 26, 3,  11, 19, 27,  //
    4,  12, 20, 28, 5,  13, 21, 29,  //
    6,  14, 22, 30, 7,  15, 23, 31,  //
    32, 40, 48, 56, 33, 41, 49, 57,  //
    34, 42, 50, 58, 35, 43, 51, 59,  //
    36, 44, 52, 60, 37, 45, 53, 61,  //
    38, 46, 54, 62, 39, 47, 55, 63,
};
constexpr std::array<int, 64> kCompactTable = {
    0,  1,  2,  3,  4,  5,  6,  7,   //
    32, 33, 34, 35, 36, 37, 38, 39,  //
    8,  9,  10, 11, 12, 13, 14, 15,  //
    40, 41, 42, 43, 44, 45, 46, 47,  //
    16, 17, 18, 19, 20, 21, 22, 23,  //
    48, 49, 50, 51, 52, 53, 54, 55,  //
    24, 25, 26, 27, 28, 29, 30, 31,  //
    56, 57, 58, 59, 60, 61, 62, 63,
};
constexpr std::array<int, 64> kCompactPlusTable = {
    0,  1,  2,  3,  4,  5,  6,  7,   //
    8,  9,  10, 11, 12, 13, 14, 15,  //
    16, 17, 18, 19, 20, 21, 22, 23,  //
    24, 25, 26, 27, 28, 29, 30, 31,  //
    32, 33, 34, 35, 36, 37, 38, 39,  //
    40, 41, 42, 43, 44, 45, 46, 47,  //
    48, 49, 50, 51, 52, 53, 54, 55,  //
    56, 57, 58, 59, 60, 61, 62, 63,
};

// Table 4: columns are 1, 2, 4, ..., 64 threads.
constexpr std::array<int, 7> kThreads = {1, 2, 4, 8, 16, 32, 64};
struct Table4 {
  std::array<int, 7> nodes, cores_per_node, threads_per_core;
};
constexpr Table4 kScatterUsage = {
    {1, 2, 4, 4, 4, 4, 4}, {1, 1, 1, 2, 4, 8, 8}, {1, 1, 1, 1, 1, 1, 2}};
constexpr Table4 kCompactUsage = {
    {1, 1, 1, 1, 1, 2, 4}, {1, 2, 4, 8, 8, 8, 8}, {1, 1, 1, 1, 2, 2, 2}};
constexpr Table4 kCompactPlusUsage = {
    {1, 1, 1, 1, 2, 4, 4}, {1, 2, 4, 8, 8, 8, 8}, {1, 1, 1, 1, 1, 1, 2}};

std::vector<int> Processors(Policy policy) {
  const absl::StatusOr<Mapping> mapping = Plan(Synthetic(kSandybridge), policy, 64);
  std::vector<int> processors;
  for (const Slot& slot : mapping->slots()) processors.push_back(ToInt(slot.pu));
  return processors;
}

void ExpectUsage(Policy policy, const Table4& table) {
  const absl::StatusOr<Mapping> mapping = Plan(Synthetic(kSandybridge), policy, 64);
  for (int i = 0; i < 7; ++i) {
    const Usage expected = {kThreads[i], table.nodes[i], table.cores_per_node[i],
                            table.threads_per_core[i]};
    EXPECT_EQ(Explain(*mapping, kThreads[i]), expected)
        << ToString(policy) << " with " << kThreads[i] << " threads";
  }
}

TEST(MappingPaper, Table2ProcessorsArePlacedByPackageCoreAndSmt) {
  const Topology topology = Synthetic(kSandybridge);
  ASSERT_EQ(topology.pus().size(), 64u);
  for (const Pu& pu : topology.pus()) {
    const int core_in_package = pu.core % 8;
    EXPECT_EQ(kTable2[pu.package][pu.smt][core_in_package], ToInt(pu.id));
    EXPECT_EQ(ToInt(topology.Home(pu)), pu.package);
  }
}

TEST(MappingPaper, Table2FromTheFullDescriptionOfTheMachineIsTheSame) {
  const Topology topology = Synthetic(
      "Package:4 [NUMANode(memory=137438953472)] L3Cache:1(size=20971520) L2Cache:8(size=262144) "
      "L1dCache:1(size=32768) Core:1 PU:2(indexes=2*32:32*1)");
  for (const Pu& pu : topology.pus()) {
    EXPECT_EQ(kTable2[pu.package][pu.smt][pu.core % 8], ToInt(pu.id));
  }
  EXPECT_EQ(topology.nodes()[3].memory_bytes, 137438953472u);
}

TEST(MappingPaper, Table3aScatterCellByCell) {
  const std::vector<int> processors = Processors(Policy::kScatter);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(processors[i], kScatterTable[i]) << "thread " << i;
}

TEST(MappingPaper, Table3bCompactCellByCell) {
  const std::vector<int> processors = Processors(Policy::kCompact);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(processors[i], kCompactTable[i]) << "thread " << i;
}

TEST(MappingPaper, Table3cCompactPlusCellByCell) {
  const std::vector<int> processors = Processors(Policy::kCompactPlus);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(processors[i], kCompactPlusTable[i]) << "thread " << i;
}

TEST(MappingPaper, Table4aScatterUsage) { ExpectUsage(Policy::kScatter, kScatterUsage); }
TEST(MappingPaper, Table4bCompactUsage) { ExpectUsage(Policy::kCompact, kCompactUsage); }
TEST(MappingPaper, Table4cCompactPlusUsage) {
  ExpectUsage(Policy::kCompactPlus, kCompactPlusUsage);
}

// Section 3.2: the IDs that figure 6 reads for each thread.
TEST(MappingPaper, ScatterDealsOrdinalsNodeByNode) {
  const absl::StatusOr<Mapping> mapping = Plan(Synthetic(kSandybridge), Policy::kScatter, 64);
  for (const Slot& slot : mapping->slots()) {
    EXPECT_EQ(ToInt(slot.node), slot.thread % 4);
    EXPECT_EQ(slot.ordinal, slot.thread / 4);
    EXPECT_EQ(slot.core, slot.thread / 4 % 8);
    EXPECT_EQ(slot.smt, slot.thread / 32);
  }
}

}  // namespace
}  // namespace topo
