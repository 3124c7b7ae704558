// What holds for every distribution, checked on random ones against loops over elements
// and pages.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "dsm/layout/distribution.h"

namespace dsm {
namespace {

struct Case {
  ArrayShape array;
  Mapping mapping;
  SpaceShape space;
  std::uint64_t elements = 1;
};

Case RandomCase(unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
  };
  Case it;
  const std::size_t dims = between(1, 4);
  std::vector<std::uint64_t> extents, divisions;
  for (std::size_t d = 0; d < dims; ++d) {
    extents.push_back(between(1, 9));
    divisions.push_back(between(0, 2) == 0 ? 1 : between(1, 12));
    it.elements *= extents.back();
  }
  it.array = {Extents(extents), between(1, 20)};
  it.space = {between(1, 100), static_cast<int>(between(1, 9))};
  const int first = static_cast<int>(between(0, static_cast<std::uint64_t>(it.space.ranks) - 1));
  const int count =
      static_cast<int>(between(1, static_cast<std::uint64_t>(it.space.ranks - first)));
  switch (between(0, 5)) {
    case 0:
      it.mapping = OnRank{first};
      break;
    case 1:
      it.mapping = Block{first, count};
      break;
    case 2:
      it.mapping = Cyclic{between(1, 5), first, count};
      break;
    default:
      it.mapping = BlockMapping{Extents(divisions), first, count};
  }
  return it;
}

Distribution Dealt(const Case& it) { return *Distribution::Make(it.array, it.mapping, it.space); }

RC_GTEST_PROP(DistributionProperty, EveryPageHasOneHomeAndPagesOfAgreesWithIt, (unsigned seed)) {
  const Case it = RandomCase(seed);
  const Distribution distribution = Dealt(it);
  std::vector<int> homes(distribution.pages().value(), -1);
  for (int rank = -1; rank <= it.space.ranks; ++rank) {
    PageNumber end;
    bool is_first = true;
    for (const PageRange& range : distribution.PagesOf(rank)) {
      RC_ASSERT(range.first < range.last && range.last <= PageNumber(0) + distribution.pages());
      RC_ASSERT(is_first || range.first > end);  // Neighbors would be one range.
      for (const PageNumber page : range) {
        RC_ASSERT(homes[page.value()] == -1);
        homes[page.value()] = rank;
      }
      end = range.last;
      is_first = false;
    }
  }
  for (std::uint64_t page = 0; page < distribution.pages().value(); ++page) {
    RC_ASSERT(homes[page] == distribution.HomeOf(PageNumber(page)));
    RC_ASSERT(homes[page] >= 0 && homes[page] < it.space.ranks);
  }
}

RC_GTEST_PROP(DistributionProperty, NextPagesOfBeginsAnywhere, (unsigned seed)) {
  const Case it = RandomCase(seed);
  const Distribution distribution = Dealt(it);
  for (int rank = 0; rank < it.space.ranks; ++rank) {
    PageRange expected = PageRange::Of(distribution.pages().value(), distribution.pages().value());
    bool is_home = false;
    for (std::uint64_t from = distribution.pages().value(); from-- > 0;) {
      const bool was_home = is_home;
      is_home = distribution.HomeOf(PageNumber(from)) == rank;
      if (is_home) expected = PageRange::Of(from, was_home ? expected.last.value() : from + 1);
      RC_ASSERT(distribution.NextPagesOf(rank, PageNumber(from)) == expected);
    }
  }
}

// The elements of a block, numbered in C's order.
std::vector<std::uint64_t> ElementsOf(const Bounds& block, const Extents& extents) {
  std::vector<std::uint64_t> elements;
  if (block.elements() == 0) return elements;
  Extents index = block.begin;
  while (true) {
    std::uint64_t element = 0;
    for (std::size_t d = 0; d < index.dims(); ++d) element = element * extents[d] + index[d];
    elements.push_back(element);
    std::size_t d = index.dims();
    while (d > 0 && ++index[d - 1] == block.end[d - 1]) --d, index[d] = block.begin[d];
    if (d == 0) return elements;
  }
}

RC_GTEST_PROP(DistributionProperty, LocalBlocksPartitionTheArrayAsOwnerOfSays, (unsigned seed)) {
  const Case it = RandomCase(seed);
  const Distribution distribution = Dealt(it);
  std::vector<int> owners(it.elements, -1);
  for (int rank = -1; rank <= it.space.ranks; ++rank) {
    for (std::uint64_t i = 0; i < distribution.LocalBlocks(rank); ++i) {
      const Bounds block = distribution.LocalBlock(rank, i);
      const Extents extents =
          block.begin.dims() == it.array.extents.dims() ? it.array.extents : Extents{it.elements};
      for (const std::uint64_t element : ElementsOf(block, extents)) {
        RC_ASSERT(owners.at(element) == -1);
        owners[element] = rank;
      }
    }
  }
  for (std::uint64_t element = 0; element < it.elements; ++element) {
    RC_ASSERT(owners[element] == distribution.OwnerOf(element));
  }
}

RC_GTEST_PROP(DistributionProperty, TheOwnerOfThePagesFirstByteIsItsHome, (unsigned seed)) {
  const Case it = RandomCase(seed);
  const bool deals_pages =
      std::holds_alternative<Block>(it.mapping) || std::holds_alternative<Cyclic>(it.mapping);
  RC_PRE(!deals_pages);
  const Distribution distribution = Dealt(it);
  for (std::uint64_t page = 0; page < distribution.pages().value(); ++page) {
    const std::uint64_t element = page * it.space.page_bytes / it.array.element_bytes;
    RC_ASSERT(distribution.HomeOf(PageNumber(page)) == distribution.OwnerOf(element));
  }
}

// The blocks of a dimension as a loop would cut it.
RC_GTEST_PROP(DistributionProperty, BlocksOfADimensionDifferByAtMostOneElement, (unsigned seed)) {
  const Case it = RandomCase(seed);
  const auto* mapping = std::get_if<BlockMapping>(&it.mapping);
  const bool has_blocks = mapping != nullptr;
  RC_PRE(has_blocks);
  const Distribution distribution = Dealt(it);
  for (int rank = 0; rank < it.space.ranks; ++rank) {
    for (std::uint64_t i = 0; i < distribution.LocalBlocks(rank); ++i) {
      const Bounds block = distribution.LocalBlock(rank, i);
      for (std::size_t d = 0; d < it.array.extents.dims(); ++d) {
        const std::uint64_t least = it.array.extents[d] / mapping->divisions[d];
        const std::uint64_t size = block.end[d] - block.begin[d];
        RC_ASSERT(size == least || size == least + 1);
      }
    }
  }
}

}  // namespace
}  // namespace dsm
