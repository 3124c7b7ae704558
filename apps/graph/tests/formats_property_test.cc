// Random graphs through every format and back, and files with random damage.
// tools/random/seeds.h describes how to run others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/graph/formats.h"
#include "apps/graph/write.h"
#include "tools/random/seeds.h"

namespace graph {
namespace {

// Any number below `bound`.
std::uint64_t Below(std::uint64_t bound, std::mt19937_64& random) { return random() % bound; }

// Reals, integers or naturals, as the format has them.
void AddWeights(Format format, std::mt19937_64& random, EdgeList& list) {
  const bool must_have = format == Format::kRudy || format == Format::kDimacsGr ||
                         format == Format::kDimacsMax || format == Format::kPajek;
  EdgeList weighted = list;
  weighted.weights.assign(list.edges.size(), 1);
  if (!Write(format, weighted).ok() || (!must_have && Below(2, random) == 0)) return;
  weighted.weights.assign(list.edges.size(), -1.5);
  const bool has_reals = Write(format, weighted).ok();
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    const double weight = static_cast<double>(Below(201, random));
    list.weights.push_back(has_reals                  ? (weight - 100) / 7
                           : format == Format::kLigra ? weight
                                                      : weight - 100);
  }
}

EdgeList RandomList(Format format, std::mt19937_64& random) {
  EdgeList list;
  list.vertices = 1 + Below(12, random);
  const bool chooses =
      format == Format::kMatrixMarket || format == Format::kPajek || format == Format::kGapbs;
  const bool has_arcs =
      format == Format::kDimacsGr || format == Format::kDimacsMax || format == Format::kLigra;
  if (has_arcs || (chooses && Below(2, random) == 0)) list.direction = Direction::kDirected;
  const auto vertex = [&] { return static_cast<Vertex>(Below(list.vertices, random)); };
  for (std::uint64_t i = Below(20, random); i > 0; --i) {
    const Edge edge = {vertex(), vertex()};
    if (format != Format::kMetis || edge.from != edge.to) list.edges.push_back(edge);
  }
  AddWeights(format, random, list);
  if (format == Format::kIcgca || format == Format::kDimacsMax) {
    const std::uint64_t most = format == Format::kIcgca ? 3 : 2;
    for (std::uint64_t i = Below(most, random); i > 0; --i) {
      list.terminals.push_back({vertex(), vertex()});
    }
  }
  if (format == Format::kIcgca && Below(2, random) == 0) list.max_length = Below(100, random);
  return list;
}

// As Parse may return a list: Write's header names the differences.
EdgeList Normalized(Format format, EdgeList list) {
  list.ids = Ids();
  const bool has_no_vertices = format == Format::kEdgeList || format == Format::kCsv ||
                               format == Format::kGraph500 || format == Format::kGraph500Packed;
  if (has_no_vertices) {
    list.vertices = 0;
    for (const auto [from, to] : list.edges) {
      list.vertices = std::max({list.vertices, from + std::uint64_t{1}, to + std::uint64_t{1}});
    }
  }
  const bool sorts =
      format == Format::kMetis || format == Format::kGapbs || format == Format::kLigra;
  if (list.direction == Direction::kUndirected && (sorts || format == Format::kMatrixMarket)) {
    for (auto& [from, to] : list.edges) {
      if (from > to) std::swap(from, to);
    }
  }
  if (sorts) {
    std::vector<std::tuple<Vertex, Vertex, double>> all;
    for (std::size_t i = 0; i < list.edges.size(); ++i) {
      const double weight = list.weights.empty() ? 0 : list.weights[i];
      all.emplace_back(list.edges[i].from, list.edges[i].to, weight);
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < list.edges.size(); ++i) {
      list.edges[i] = {std::get<0>(all[i]), std::get<1>(all[i])};
      if (!list.weights.empty()) list.weights[i] = std::get<2>(all[i]);
    }
  }
  return list;
}

TEST(FormatsProperty, WhatIsWrittenIsReadBack) {
  const std::uint64_t first = random_programs::FirstSeed();
  std::printf("graphs from VICINITY_RANDOM_SEED=%llu on\n", static_cast<unsigned long long>(first));
  for (std::uint64_t seed = first; seed < first + random_programs::Programs(500); ++seed) {
    std::mt19937_64 random(seed);
    for (const Format format : kFormats) {
      const EdgeList list = RandomList(format, random);
      const auto bytes = Write(format, list);
      ASSERT_TRUE(bytes.ok()) << bytes.status() << ", seed " << seed;
      const auto back =
          Parse(format, "file", *bytes,
                {.ids = format == Format::kEdgeListNm ? IdRule::kGuess : IdRule::kFromZero,
                 .keep_weights = true,
                 .direction = {}});
      if (Normalized(format, list).vertices == 0) {
        EXPECT_FALSE(back.ok()) << "a format without a number of vertices needs an edge";
        continue;
      }
      ASSERT_TRUE(back.ok()) << back.status() << ", seed " << seed << "\n" << *bytes;
      ASSERT_TRUE(Normalized(format, *back) == Normalized(format, list))
          << FormatName(format) << ", seed " << seed << "\n"
          << *bytes;
    }
  }
}

std::string Damaged(std::string bytes, std::mt19937_64& random) {
  for (std::uint64_t i = 1 + Below(4, random); i > 0 && !bytes.empty(); --i) {
    const std::size_t at = Below(bytes.size(), random);
    switch (Below(5, random)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << Below(8, random));
        break;
      case 2:
        bytes[at] = "0123456789 \n\t\r-%#cpealtx"[Below(24, random)];
        break;
      case 3:
        bytes.erase(at, 1 + Below(5, random));
        break;
      default:
        bytes.insert(at, bytes.substr(Below(bytes.size(), random), 1 + Below(9, random)));
    }
  }
  return bytes;
}

TEST(FormatsProperty, ADamagedFileIsAnErrorOrAGraphWhoseVerticesAllExist) {
  const std::uint64_t first = random_programs::FirstSeed();
  std::printf("files from VICINITY_RANDOM_SEED=%llu on\n", static_cast<unsigned long long>(first));
  std::uint64_t errors = 0;
  std::uint64_t graphs = 0;
  for (std::uint64_t seed = first; seed < first + random_programs::Programs(2000); ++seed) {
    std::mt19937_64 random(seed);
    for (const Format written : kFormats) {
      const std::string bytes = Damaged(*Write(written, RandomList(written, random)), random);
      (void)GuessFormat("file", bytes).status();
      // Now and then, a file of another format.
      const Format format =
          Below(10, random) == 0 ? kFormats[Below(std::size(kFormats), random)] : written;
      const auto list =
          Parse(format, "file", bytes, {.keep_weights = Below(2, random) == 0, .direction = {}});
      if (!list.ok()) {
        ++errors;
        ASSERT_EQ(list.status().message().substr(0, 5), "file:") << "seed " << seed;
        continue;
      }
      ++graphs;
      ASSERT_LE(list->vertices, kMaxVertices);
      ASSERT_TRUE(list->weights.empty() || list->weights.size() == list->edges.size());
      for (const auto& edges : {list->edges, list->terminals}) {
        for (const auto [from, to] : edges) {
          ASSERT_LT(from, list->vertices) << "seed " << seed;
          ASSERT_LT(to, list->vertices) << "seed " << seed;
        }
      }
    }
  }
  if (errors + graphs >= 1000) {
    EXPECT_GT(errors, 0u);
    EXPECT_GT(graphs, 0u);
  }
}

}  // namespace
}  // namespace graph
