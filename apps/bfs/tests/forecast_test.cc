#include "apps/bfs/measure/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/graph/kronecker.h"
#include "topo/topo.h"

namespace bfs {
namespace {

using testing::HasSubstr;

constexpr Sizes SizesOf(int scale, int nodes) {
  return {.vertices = std::uint64_t{1} << scale,
          .tuples = std::uint64_t{16} << scale,
          .stored = false,
          .nodes = nodes};
}

TEST(ForecastOf, ThePapersGraphFitsInTwentyFourGigabytesOnOneNode) {
  const Forecast forecast = ForecastOf(SizesOf(26, 1));
  const double tuples = 16.0 * (1 << 26);
  EXPECT_LE(static_cast<double>(forecast.peak()), 14 * tuples);
  EXPECT_LE(static_cast<double>(forecast.lists + forecast.search), 10 * tuples);
  EXPECT_GT(ForecastOf(SizesOf(26, 4)).peak(), forecast.peak() + forecast.lists / 2)
      << "several nodes have forward lists, too";
}

TEST(ForecastOf, ListsTakeNoMoreThanWasSaid) {
  const auto tuples = Tuples::Generated(graph::Kronecker{.scale = 12});
  for (const char* machine : {"core:2 pu:1", "pack:3 [numa] core:1 pu:1"}) {
    const topo::Topology topology = *topo::FromSynthetic(machine);
    const topo::Mapping mapping =
        topo::Plan(topology, topo::Policy::kScatter, topology.allowed_pus())->Unbound();
    const auto graph = HubGraph::Build(topology, mapping, *tuples);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const Sizes sizes = SizesOf(12, graph->nodes());
    EXPECT_LE(graph->adjacency_bytes(), ForecastOf(sizes).lists) << machine;
    EXPECT_GE(graph->adjacency_bytes(), ForecastOf(sizes).lists / 2) << machine;
  }
}

TEST(ForecastOf, ValidationIsThatOfTheKeysThatAreSearched) {
  Sizes sizes = SizesOf(16, 1);
  sizes.keys = 1;
  const std::uint64_t one = ForecastOf(sizes).validation;
  EXPECT_EQ(one, kBytesTogether << 16);
  sizes.keys = 5;
  EXPECT_EQ(ForecastOf(sizes).validation, 2 * one);
  sizes.keys = 64;
  EXPECT_EQ(ForecastOf(sizes).validation, 16 * one);
}

// Arcs at random, most vertices with some in each direction.
TEST(ForecastOf, ListsOfArcsTakeNoMoreThanWasSaid) {
  graph::EdgeList list = {.vertices = 5000,
                          .direction = graph::Direction::kDirected,
                          .edges = {},
                          .terminals = {},
                          .max_length = {}};
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    list.edges.push_back(
        {static_cast<graph::Vertex>(i * 7919 % 4999), static_cast<graph::Vertex>(i * i % 4993)});
  }
  for (const char* machine : {"core:2 pu:1", "pack:3 [numa] core:1 pu:1"}) {
    const topo::Topology topology = *topo::FromSynthetic(machine);
    const topo::Mapping mapping =
        topo::Plan(topology, topo::Policy::kScatter, topology.allowed_pus())->Unbound();
    const auto graph = HubGraph::Build(topology, mapping, Tuples::Listed("arcs", list));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::uint64_t forecast = ForecastOf({.vertices = list.vertices,
                                               .tuples = list.edges.size(),
                                               .directed = true,
                                               .nodes = graph->nodes()})
                                       .lists;
    EXPECT_LE(graph->adjacency_bytes(), forecast) << machine;
    EXPECT_GE(graph->adjacency_bytes(), forecast / 2) << machine;
  }
}

TEST(ForecastOf, ATranslationAndTreesThatAreWrittenTakeMemoryToo) {
  Sizes sizes = SizesOf(20, 1);
  const std::uint64_t without = ForecastOf(sizes).peak();
  sizes.translated = true;
  EXPECT_EQ(ForecastOf(sizes).peak(), without + 4 * sizes.vertices);
  sizes = SizesOf(20, 1);
  for (const int trees : {1, 3}) {
    sizes.written = trees;
    const auto count = static_cast<std::uint64_t>(trees);
    EXPECT_EQ(ForecastOf(sizes).peak(), without +
                                            BytesOfText(sizes.vertices, sizes.largest_id, count) +
                                            8 * count * sizes.vertices);
  }
  EXPECT_THAT(ToText(ForecastOf(sizes)), HasSubstr(", --output 83.9 MB"));
}

TEST(CheckFits, WhatIsTooLargeIsRefusedWithItsPartsAndWhoSaysSo) {
  const Forecast forecast = ForecastOf(SizesOf(30, 1));
  EXPECT_TRUE(CheckFits(forecast, {forecast.peak(), "this machine"}, 1, "--scale=30").ok());
  const absl::Status status =
      CheckFits(forecast, {forecast.peak() - 1, "this machine"}, 1, "--scale=30");
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), testing::StartsWith("--scale=30 may need "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("; this machine allows "));
}

TEST(CheckFits, ANodeNeedsRoomForItsShareOnly) {
  const Forecast forecast = ForecastOf(SizesOf(26, 2));
  const Limit node = {forecast.peak() / 2 + 1, "NUMA node 1"};
  EXPECT_TRUE(CheckFits(forecast, node, 0.5, "--scale=26").ok());
  EXPECT_FALSE(CheckFits(forecast, node, 1, "--scale=26").ok());
}

TEST(ForecastOfPlain, CountsTheTuplesOnce) {
  Sizes sizes = SizesOf(20, 1);
  const std::uint64_t generated = ForecastOfPlain(sizes).peak();
  sizes.stored = true;
  EXPECT_LE(ForecastOfPlain(sizes).peak(), generated + sizes.tuples * 8);
}

TEST(KeysAtOnce, FourOfALargeGraphAndAllOfASmallOne) {
  EXPECT_EQ(KeysAtOnce(std::uint64_t{1} << 26, 64), 4);
  EXPECT_EQ(KeysAtOnce(std::uint64_t{1} << 26, 1), 1);
  EXPECT_EQ(KeysAtOnce(1, 64), 64);
}

}  // namespace
}  // namespace bfs
