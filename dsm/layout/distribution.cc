#include "dsm/layout/distribution.h"

#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dsm {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

absl::Status CheckCount(const std::string& name, std::uint64_t value) {
  if (value >= 1 && value <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, ", expected 1 to 2^63 - 1"));
}

absl::Status CheckRanks(int first, int count, int ranks) {
  if (count < 1) {
    return absl::InvalidArgumentError(absl::StrCat("count is ", count, ", expected 1 or more"));
  }
  const std::int64_t last = std::int64_t{first} + count - 1;
  if (first < 0 || last >= ranks) {
    return absl::InvalidArgumentError(absl::StrCat("a mapping to ranks ", first, " to ", last,
                                                   ", expected ranks 0 to ", ranks - 1));
  }
  return absl::OkStatus();
}

// That each factor is in range, and all of them multiplied with `product` too.
absl::Status CheckProduct(const std::string& name, const Extents& factors, std::uint64_t product,
                          const char* of_what) {
  for (std::size_t d = 0; d < factors.dims(); ++d) {
    const std::string factor = absl::StrCat(name, "[", d, "]");
    if (absl::Status s = CheckCount(factor, factors[d]); !s.ok()) return s;
    if (__builtin_mul_overflow(product, factors[d], &product) || product > kMost) {
      return absl::InvalidArgumentError(absl::StrCat(
          "with ", factor, " = ", factors[d], " the array has more than 2^63 - 1 ", of_what));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckArray(const ArrayShape& array, const SpaceShape& space) {
  if (array.extents.dims() < 1 || array.extents.dims() > kMostDims) {
    return absl::InvalidArgumentError(absl::StrCat("an array of ", array.extents.dims(),
                                                   " dimensions, expected 1 to ", kMostDims));
  }
  if (absl::Status s = CheckCount("page_bytes", space.page_bytes); !s.ok()) return s;
  if (absl::Status s = CheckCount("element_bytes", array.element_bytes); !s.ok()) return s;
  if (space.ranks < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("ranks is ", space.ranks, ", expected 1 or more"));
  }
  return CheckProduct("extents", array.extents, array.element_bytes, "bytes");
}

absl::Status CheckMapping(const Mapping& mapping, std::size_t dims, int ranks) {
  if (const auto* on = std::get_if<OnRank>(&mapping)) return CheckRanks(on->rank, 1, ranks);
  if (const auto* block = std::get_if<Block>(&mapping)) {
    return CheckRanks(block->first, block->count, ranks);
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&mapping)) {
    if (absl::Status s = CheckCount("pages", cyclic->pages); !s.ok()) return s;
    return CheckRanks(cyclic->first, cyclic->count, ranks);
  }
  const auto& blocks = std::get<BlockMapping>(mapping);
  if (blocks.divisions.dims() != dims) {
    return absl::InvalidArgumentError(absl::StrCat("divisions of ", blocks.divisions.dims(),
                                                   " dimensions for an array of ", dims,
                                                   ", expected one each"));
  }
  if (absl::Status s = CheckProduct("divisions", blocks.divisions, 1, "blocks"); !s.ok()) return s;
  return CheckRanks(blocks.first, blocks.count, ranks);
}

constexpr std::uint64_t CeilDivide(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace

absl::StatusOr<Distribution> Distribution::Make(const ArrayShape& array, const Mapping& mapping,
                                                const SpaceShape& space) {
  if (std::holds_alternative<FirstTouch>(mapping)) {
    return Make(array, Block{.count = space.ranks}, space);
  }
  if (absl::Status s = CheckArray(array, space); !s.ok()) return s;
  if (absl::Status s = CheckMapping(mapping, array.extents.dims(), space.ranks); !s.ok()) return s;

  const auto equal_blocks = [](std::uint64_t extent, std::uint64_t blocks) {
    return Cut{extent, blocks, extent / blocks, extent % blocks};
  };
  Distribution it;
  it.bytes_ = it.element_bytes_ = array.element_bytes;
  for (std::size_t d = 0; d < array.extents.dims(); ++d) it.bytes_ *= array.extents[d];
  it.page_size_ = PageSize(space.page_bytes);
  it.pages_ = it.page_size_.PagesFor(it.bytes_);
  const std::uint64_t pages = it.pages_.value();

  if (const auto* block = std::get_if<Block>(&mapping)) {
    it.cuts_[0] = equal_blocks(pages, static_cast<std::uint64_t>(block->count));
    it.dims_ = 1, it.unit_bytes_ = space.page_bytes;
    it.first_ = block->first, it.count_ = block->count;
  } else if (const auto* cyclic = std::get_if<Cyclic>(&mapping)) {
    const std::uint64_t size = std::min(cyclic->pages, pages);
    it.cuts_[0] = Cut{pages, CeilDivide(pages, size), size, 0};
    it.dims_ = 1, it.unit_bytes_ = space.page_bytes;
    it.first_ = cyclic->first, it.count_ = cyclic->count;
  } else {
    const auto* blocks = std::get_if<BlockMapping>(&mapping);
    for (std::size_t d = 0; d < array.extents.dims(); ++d) {
      it.cuts_[d] = equal_blocks(array.extents[d], blocks ? blocks->divisions[d] : 1);
    }
    it.dims_ = array.extents.dims(), it.unit_bytes_ = it.element_bytes_;
    it.first_ = blocks ? blocks->first : std::get<OnRank>(mapping).rank;
    it.count_ = blocks ? blocks->count : 1;
  }

  it.units_ = 1;
  for (std::size_t d = 0; d < it.dims_; ++d) {
    it.units_ *= it.cuts_[d].extent;
    it.blocks_ *= it.cuts_[d].blocks;
    if (it.cuts_[d].blocks > 1) it.last_cut_ = d;
  }
  for (std::size_t d = it.last_cut_ + 1; d < it.dims_; ++d) it.row_ *= it.cuts_[d].extent;
  return it;
}

std::uint64_t Distribution::Cut::BlockOf(std::uint64_t index) const {
  const std::uint64_t in_larger = larger * (size + 1);
  return index < in_larger ? index / (size + 1) : larger + (index - in_larger) / size;
}

std::uint64_t Distribution::Cut::Begin(std::uint64_t block) const {
  return std::min(extent, size * block + std::min(larger, block));
}

PageNumber Distribution::PageAt(std::uint64_t unit) const {
  return page_size_.PageFrom(unit * unit_bytes_);
}

Distribution::Place Distribution::PlaceOf(std::uint64_t unit) const {
  // From the last cut dimension to the first: what is behind it is in one block.
  const Cut& last = cuts_[last_cut_];
  std::uint64_t rest = unit / row_;
  std::uint64_t index = rest % last.extent;
  rest /= last.extent;
  Place place;
  place.block = last.BlockOf(index);
  place.end = unit - unit % row_ + (last.End(place.block) - index) * row_;
  std::uint64_t stride = last.blocks;
  for (std::size_t d = last_cut_; d-- > 0;) {
    const Cut& cut = cuts_[d];
    place.block += cut.BlockOf(rest % cut.extent) * stride;
    rest /= cut.extent;
    stride *= cut.blocks;
  }
  return place;
}

int Distribution::OwnerOfUnit(std::uint64_t unit) const {
  // Each fault asks: without PlaceOf's divisions where one dimension is dealt.
  return RankOf(dims_ == 1 ? cuts_[0].BlockOf(unit) : PlaceOf(unit).block);
}

int Distribution::OwnerOf(std::uint64_t element) const {
  return OwnerOfUnit(element * element_bytes_ / unit_bytes_);
}

std::uint64_t Distribution::LocalBlocks(int rank) const {
  if (rank < first_ || rank - first_ >= count_) return 0;
  const std::uint64_t first = static_cast<std::uint64_t>(rank - first_);
  return first < blocks_ ? (blocks_ - 1 - first) / static_cast<std::uint64_t>(count_) + 1 : 0;
}

Bounds Distribution::LocalBlock(int rank, std::uint64_t index) const {
  std::uint64_t block =
      static_cast<std::uint64_t>(rank - first_) + index * static_cast<std::uint64_t>(count_);
  const std::uint64_t elements = bytes_ / element_bytes_;
  const auto in_elements = [&](std::uint64_t unit) {
    return std::min(elements, CeilDivide(unit * unit_bytes_, element_bytes_));
  };
  const std::array<std::uint64_t, kMostDims> zeros = {};
  Bounds bounds;
  bounds.begin = bounds.end = Extents(std::span(zeros).first(dims_));
  for (std::size_t d = dims_; d-- > 0;) {
    const Cut& cut = cuts_[d];
    bounds.begin[d] = in_elements(cut.Begin(block % cut.blocks));
    bounds.end[d] = in_elements(cut.End(block % cut.blocks));
    block /= cut.blocks;
  }
  return bounds;
}

// The first unit behind `unit`, which another rank owns, where a block of `rank` begins in
// the same row of blocks, else where that row ends.
std::uint64_t Distribution::NextUnitOf(int rank, std::uint64_t unit) const {
  const Cut& last = cuts_[last_cut_];
  const std::uint64_t row_of_blocks = last.extent * row_;
  const std::uint64_t row_begin = unit - unit % row_of_blocks;
  const std::uint64_t block = PlaceOf(unit).block;
  const int turns = rank - RankOf(block);
  const std::uint64_t next =
      block % last.blocks + static_cast<std::uint64_t>(turns > 0 ? turns : turns + count_);
  return row_begin + (next < last.blocks ? last.Begin(next) * row_ : row_of_blocks);
}

PageRange Distribution::NextPagesOf(int rank, PageNumber from) const {
  const PageNumber end = PageNumber(0) + pages_;
  if (LocalBlocks(rank) == 0) return {end, end};
  PageNumber page = from;
  while (page < end && HomeOf(page) != rank) page = PageAt(NextUnitOf(rank, UnitAt(page)));
  PageRange range{std::min(page, end), std::min(page, end)};
  while (range.last < end && HomeOf(range.last) == rank) {
    range.last = PageAt(PlaceOf(UnitAt(range.last)).end);
  }
  return range;
}

std::vector<PageRange> Distribution::PagesOf(int rank) const {
  std::vector<PageRange> ranges;
  for (PageRange range = NextPagesOf(rank, PageNumber(0)); !range.empty();
       range = NextPagesOf(rank, range.last)) {
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace dsm
