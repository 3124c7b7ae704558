// Which rank is the home of which page of an allocation.
//
// A mapping says how an array is dealt to ranks:
//
//   OnRank         all to one (the paper's sms_alloc)
//   Block          its pages, cut into one piece for each rank
//   Cyclic         its pages in turn, some at a time
//   BlockMapping   its elements, cut along each dimension (the paper's sms_mapalloc); more
//                  blocks than ranks are dealt in turn, which is block-cyclic
//   FirstTouch     each page to the rank that touches it first (layout/first_touch.h)
//
//   shared int a[NZ][NY][NX]::[P][1][1](0,P);      // the paper's figure 2(b)
//
//   dsm::Distribution::Make({{NZ, NY, NX}, sizeof(int)},
//                           dsm::BlockMapping{.divisions = {P, 1, 1}, .first = 0, .count = P},
//                           {.page_bytes = 4096, .ranks = P})
//
// Blocks of a dimension differ by at most one element, the first being the larger ones, so
// that where it divides, block i is [i * NZ / P, (i + 1) * NZ / P) as in the figure. Blocks
// are numbered as elements are, the last dimension fastest (C's order), and block b belongs
// to rank first + b mod count. The paper shows one mapping and does not say what is where
// it does not divide, nor what more blocks than processes mean: these rules are ours.
//
// Data lie in C's order, whatever the mapping: there is no translation of indices, and a
// page has one home. With a BlockMapping that is the owner of the element that the page's
// first byte belongs to; elements of others that share the page are theirs, but not at
// home there. So a cut through rows that are shorter than a page moves no page; who wants
// blocks to begin with pages pads the extents.
//
// Pure; any thread may call. Source: [Mid18] sections 2.1 and 2.2, figure 2.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/layout/pages.h"

namespace dsm {

inline constexpr std::size_t kMostDims = 8;

// A value: a number for each dimension of an array, the slowest first. More than kMostDims
// are counted, so that Distribution::Make can refuse them, but not kept.
class Extents {
 public:
  Extents() = default;
  Extents(std::initializer_list<std::uint64_t> extents)
      : Extents(std::span(extents.begin(), extents.size())) {}
  explicit Extents(std::span<const std::uint64_t> extents) : dims_(extents.size()) {
    std::copy_n(extents.begin(), std::min(dims_, kMostDims), extents_.begin());
  }

  std::size_t dims() const { return dims_; }
  std::uint64_t operator[](std::size_t dim) const { return extents_[dim]; }
  std::uint64_t& operator[](std::size_t dim) { return extents_[dim]; }
  friend bool operator==(const Extents&, const Extents&) = default;

 private:
  std::array<std::uint64_t, kMostDims> extents_ = {};
  std::size_t dims_ = 0;
};

// A value. Memory that is no array is one of bytes: {{bytes}}.
struct ArrayShape {
  Extents extents;
  std::uint64_t element_bytes = 1;
};

// A value. What the homes are dealt to.
struct SpaceShape {
  std::uint64_t page_bytes = 4096;
  int ranks = 1;  // 0, 1, ..., ranks - 1
};

// A value.
struct OnRank {
  int rank = 0;
};

// A value. Ranks first, first + 1, ..., first + count - 1 get a piece each; these differ
// by at most one page, the first being the larger ones.
struct Block {
  int first = 0;
  int count = 1;  // all on rank `first`, where nothing else is said
};

// A value. The same ranks in turn get `pages` pages each.
struct Cyclic {
  std::uint64_t pages = 1;
  int first = 0;
  int count = 1;
};

// A value. MpC's ::[divisions[0]][divisions[1]]...(first,count).
struct BlockMapping {
  Extents divisions;  // how many blocks along each dimension
  int first = 0;
  int count = 1;
};

// A value. A page gets its home when a rank first reads it, writes it or asks for it. The
// Distribution is that of a Block over all ranks: a program whose ranks touch their blocks first
// gets it, and pays the least. Where the space bounds the pages at home or finds races
// (SpaceOptions) homes are as by that Block.
struct FirstTouch {};

using Mapping = std::variant<OnRank, Block, Cyclic, BlockMapping, FirstTouch>;

// A value: elements with begin[d] <= index < end[d] in each dimension d.
struct Bounds {
  Extents begin, end;

  std::uint64_t elements() const {
    std::uint64_t count = begin.dims() == 0 ? 0 : 1;
    for (std::size_t d = 0; d < begin.dims(); ++d) count *= end[d] - begin[d];
    return count;
  }
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// A value. Immutable.
class Distribution {
 public:
  // Errors, all InvalidArgument: no dimension or more than kMostDims; an extent, a size, a
  // number of divisions, pages or ranks below 1; not one division a dimension; a rank that
  // is not there; an array or a number of blocks above 2^63 - 1.
  static absl::StatusOr<Distribution> Make(const ArrayShape& array, const Mapping& mapping,
                                           const SpaceShape& space);

  std::uint64_t bytes() const { return bytes_; }
  PageCount pages() const { return pages_; }  // the last may be used in part
  std::uint64_t page_bytes() const { return page_size_.bytes(); }

  // The rank. `page`: of the allocation, whose first page is 0. Two divisions a dimension.
  int HomeOf(PageNumber page) const { return OwnerOfUnit(UnitAt(page)); }

  // The rank of an element, numbered in C's order; as the mapping says, which is not always
  // the home of the page that it lies in.
  int OwnerOf(std::uint64_t element) const;

  // How many blocks a rank has; some are empty where there are more divisions than elements.
  std::uint64_t LocalBlocks(int rank) const;

  // Its block number `index` in [0, LocalBlocks(rank)): the elements that it owns, exactly.
  // Block and Cyclic deal pages: their bounds have one dimension, elements numbered in C's
  // order, and an element belongs to where its first byte is.
  Bounds LocalBlock(int rank, std::uint64_t index = 0) const;

  // The first pages at or behind `from` whose home is `rank`, up to the next that has
  // another home; empty if there are none. Time: grows with the rows and the rank's blocks
  // that are passed, not with pages.
  PageRange NextPagesOf(int rank, PageNumber from) const;

  // All of them, ascending; neighbors are one range.
  std::vector<PageRange> PagesOf(int rank) const;

 private:
  // A dimension of `extent` units in `blocks` blocks: first `larger` of size + 1, then of
  // `size`; what would lie behind the extent is not there.
  struct Cut {
    std::uint64_t extent = 1, blocks = 1, size = 1, larger = 0;

    std::uint64_t BlockOf(std::uint64_t index) const;
    std::uint64_t Begin(std::uint64_t block) const;
    std::uint64_t End(std::uint64_t block) const { return Begin(block + 1); }
  };

  // Where a unit is: the number of its block, and the unit behind the last that follows it
  // without leaving the block.
  struct Place {
    std::uint64_t block = 0;
    std::uint64_t end = 0;
  };

  Distribution() = default;

  std::uint64_t UnitAt(PageNumber page) const { return page_size_.OffsetOf(page) / unit_bytes_; }
  PageNumber PageAt(std::uint64_t unit) const;  // the first that begins with it or later
  int RankOf(std::uint64_t block) const {
    return first_ + static_cast<int>(block % static_cast<std::uint64_t>(count_));
  }
  int OwnerOfUnit(std::uint64_t unit) const;
  Place PlaceOf(std::uint64_t unit) const;
  std::uint64_t NextUnitOf(int rank, std::uint64_t unit) const;

  // Units are what is dealt: elements in their dimensions, or pages in one.
  std::array<Cut, kMostDims> cuts_;
  std::size_t dims_ = 0;
  std::size_t last_cut_ = 0;  // the last dimension with more than one block, or 0
  std::uint64_t row_ = 1;     // units of all dimensions behind last_cut_
  std::uint64_t units_ = 0, blocks_ = 1;
  std::uint64_t unit_bytes_ = 1, element_bytes_ = 1;
  std::uint64_t bytes_ = 0;
  PageCount pages_;
  PageSize page_size_{1};
  int first_ = 0, count_ = 1;
};

}  // namespace dsm
