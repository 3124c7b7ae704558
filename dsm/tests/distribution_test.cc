#include "dsm/layout/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace dsm {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kPage = 4096;

Distribution Dealt(const ArrayShape& array, const Mapping& mapping, const SpaceShape& space) {
  absl::StatusOr<Distribution> made = Distribution::Make(array, mapping, space);
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

std::vector<int> HomesOf(const Distribution& distribution) {
  std::vector<int> homes;
  for (std::uint64_t page = 0; page < distribution.pages().value(); ++page) {
    homes.push_back(distribution.HomeOf(PageNumber(page)));
  }
  return homes;
}

TEST(OnRank, ItsRankIsTheHomeOfAllAndOwnsTheArray) {
  const Distribution it = Dealt({{3, 1000}, 4}, OnRank{2}, {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(2, 2, 2));
  EXPECT_EQ(it.LocalBlock(2), (Bounds{{0, 0}, {3, 1000}}));
  EXPECT_EQ(it.LocalBlocks(1), 0u);
  EXPECT_THAT(it.PagesOf(2), ElementsAre(PageRange::Of(0, 3)));
  EXPECT_THAT(it.PagesOf(1), IsEmpty());
}

TEST(Block, GivesTheFirstRanksTheLargerPieces) {
  const Distribution it =
      Dealt({{7 * kPage}}, Block{.first = 1, .count = 3}, {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(1, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(it.PagesOf(2), ElementsAre(PageRange::Of(3, 5)));
  EXPECT_EQ(it.LocalBlock(2), (Bounds{{3 * kPage}, {5 * kPage}}));
}

TEST(Block, OfMoreRanksThanPagesLeavesTheLastOnesWithout) {
  const Distribution it =
      Dealt({{kPage + 1}}, Block{.first = 0, .count = 4}, {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 1));
  EXPECT_EQ(it.LocalBlock(1), (Bounds{{kPage}, {kPage + 1}}));
  EXPECT_EQ(it.LocalBlock(3).elements(), 0u);
  EXPECT_THAT(it.PagesOf(3), IsEmpty());
}

TEST(Cyclic, DealsPagesInTurn) {
  const Distribution it =
      Dealt({{5 * kPage}}, Cyclic{.first = 1, .count = 2}, {.page_bytes = kPage, .ranks = 3});
  EXPECT_THAT(HomesOf(it), ElementsAre(1, 2, 1, 2, 1));
  EXPECT_THAT(it.PagesOf(1),
              ElementsAre(PageRange::Of(0, 1), PageRange::Of(2, 3), PageRange::Of(4, 5)));
  EXPECT_EQ(it.LocalBlocks(2), 2u);
  EXPECT_EQ(it.LocalBlock(2, 1), (Bounds{{3 * kPage}, {4 * kPage}}));
}

TEST(Cyclic, DealsSomeAtATimeAndTheLastMayBeFewer) {
  const Distribution it = Dealt({{7 * kPage - 9}}, Cyclic{.pages = 2, .first = 0, .count = 3},
                                {.page_bytes = kPage, .ranks = 3});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 0, 1, 1, 2, 2, 0));
  EXPECT_EQ(it.LocalBlock(0, 1), (Bounds{{6 * kPage}, {7 * kPage - 9}}));
}

TEST(Cyclic, AnElementOnTwoPagesIsOwnedWhereItBegins) {
  // Elements begin at bytes 0, 3000, 6000 and 9000.
  const Distribution it =
      Dealt({{2, 2}, 3000}, Cyclic{.first = 0, .count = 3}, {.page_bytes = kPage, .ranks = 3});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 1, 2));
  EXPECT_EQ(it.LocalBlock(0), (Bounds{{0}, {2}}));
  EXPECT_EQ(it.LocalBlock(1), (Bounds{{2}, {3}}));
  EXPECT_EQ(it.LocalBlock(2), (Bounds{{3}, {4}}));
  EXPECT_EQ(it.OwnerOf(1), 0);
  EXPECT_EQ(it.OwnerOf(3), 2);
}

// shared int a[NZ][NY][NX]::[NPROCS][1][1](0,NPROCS), and what each process of the figure
// goes through: st = MYPID * size, en = (MYPID + 1) * size, size = NZ / NPROCS.
TEST(PaperFigure2, EachProcessOwnsTheSlabThatItGoesThrough) {
  constexpr std::uint64_t kNz = 24, kNy = 32, kNx = 64;
  constexpr int kProcesses = 6;
  const Distribution it =
      Dealt({{kNz, kNy, kNx}, sizeof(int)},
            BlockMapping{.divisions = {kProcesses, 1, 1}, .first = 0, .count = kProcesses},
            {.page_bytes = kPage, .ranks = kProcesses});
  const std::uint64_t size = kNz / kProcesses, slab_pages = kNy * kNx * sizeof(int) * size / kPage;
  for (int pid = 0; pid < kProcesses; ++pid) {
    const std::uint64_t st = static_cast<std::uint64_t>(pid) * size, en = st + size;
    EXPECT_EQ(it.LocalBlocks(pid), 1u);
    EXPECT_EQ(it.LocalBlock(pid), (Bounds{{st, 0, 0}, {en, kNy, kNx}}));
    const std::uint64_t page = static_cast<std::uint64_t>(pid) * slab_pages;
    EXPECT_THAT(it.PagesOf(pid), ElementsAre(PageRange::Of(page, page + slab_pages)));
  }
}

TEST(BlockMapping, OfAnExtentThatDoesNotDivideGivesTheFirstBlocksOneMore) {
  const Distribution it =
      Dealt({{10, 1024}, 4}, BlockMapping{.divisions = {4, 1}, .first = 0, .count = 4},
            {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 3, 3));
  EXPECT_EQ(it.LocalBlock(2), (Bounds{{6, 0}, {8, 1024}}));
}

TEST(BlockMapping, OfMoreBlocksThanRanksDealsThemInTurn) {
  const Distribution it =
      Dealt({{12, 1024}, 4}, BlockMapping{.divisions = {6, 1}, .first = 1, .count = 2},
            {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2));
  EXPECT_EQ(it.LocalBlocks(1), 3u);
  EXPECT_EQ(it.LocalBlock(1, 1), (Bounds{{4, 0}, {6, 1024}}));
  EXPECT_THAT(it.PagesOf(2),
              ElementsAre(PageRange::Of(2, 4), PageRange::Of(6, 8), PageRange::Of(10, 12)));
}

TEST(BlockMapping, OfOneRankIsOneRangeOfPagesHoweverManyBlocksThereAre) {
  const Distribution it =
      Dealt({{12, 1024}, 4}, BlockMapping{.divisions = {6, 2}, .first = 1, .count = 1},
            {.page_bytes = kPage, .ranks = 2});
  EXPECT_EQ(it.LocalBlocks(1), 12u);
  EXPECT_THAT(it.PagesOf(1), ElementsAre(PageRange::Of(0, 12)));
}

TEST(BlockMapping, OfTwoDimensionsNumbersBlocksInTheOrderOfC) {
  // Rows of two pages: each half of a row is a page.
  const Distribution it =
      Dealt({{4, 2048}, 4}, BlockMapping{.divisions = {2, 2}, .first = 0, .count = 4},
            {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_EQ(it.LocalBlock(1), (Bounds{{0, 1024}, {2, 2048}}));
  EXPECT_THAT(it.PagesOf(3), ElementsAre(PageRange::Of(5, 6), PageRange::Of(7, 8)));
}

TEST(BlockMapping, WithMoreDivisionsThanElementsHasEmptyBlocks) {
  const Distribution it =
      Dealt({{2, 1024}, 4}, BlockMapping{.divisions = {4, 1}, .first = 0, .count = 4},
            {.page_bytes = kPage, .ranks = 4});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 1));
  EXPECT_EQ(it.LocalBlocks(3), 1u);
  EXPECT_EQ(it.LocalBlock(3).elements(), 0u);
  EXPECT_THAT(it.PagesOf(3), IsEmpty());
}

TEST(BlockMapping, WithFewerBlocksThanRanksLeavesTheLastOnesWithout) {
  const Distribution it =
      Dealt({{8, 1024}, 4}, BlockMapping{.divisions = {2, 1}, .first = 0, .count = 5},
            {.page_bytes = kPage, .ranks = 5});
  EXPECT_EQ(it.LocalBlocks(1), 1u);
  EXPECT_EQ(it.LocalBlocks(2), 0u);
  EXPECT_THAT(it.PagesOf(4), IsEmpty());
}

TEST(BlockMapping, APageIsAtHomeWithTheOwnerOfItsFirstByte) {
  // Ten ints a rank, 1024 to a page: rank 102 owns elements 1020 to 1029.
  const Distribution it =
      Dealt({{2000}, 4}, BlockMapping{.divisions = {200}, .first = 0, .count = 200},
            {.page_bytes = kPage, .ranks = 200});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 102));
  EXPECT_EQ(it.OwnerOf(1023), 102);
  EXPECT_THAT(it.PagesOf(101), IsEmpty());
  EXPECT_EQ(it.LocalBlock(101), (Bounds{{1010}, {1020}}));
}

TEST(BlockMapping, AnElementLargerThanAPageHasAllItsPagesAtOneHome) {
  const Distribution it =
      Dealt({{3}, 2 * kPage + 1}, BlockMapping{.divisions = {3}, .first = 0, .count = 3},
            {.page_bytes = kPage, .ranks = 3});
  EXPECT_THAT(HomesOf(it), ElementsAre(0, 0, 0, 1, 1, 2, 2));
}

TEST(Distribution, OfThirtyTebibytesCountsItsPagesWithoutGoingThroughThem) {
  constexpr std::uint64_t kSide = 4096, kLong = 30 * 8192;
  const SpaceShape space{.page_bytes = kPage, .ranks = 1024};
  const Distribution slabs =
      Dealt({{kLong, kSide, kSide}, 8},
            BlockMapping{.divisions = {1024, 1, 1}, .first = 0, .count = 1024}, space);
  const std::uint64_t each = slabs.pages().value() / 1024;
  EXPECT_THAT(slabs.PagesOf(1023), ElementsAre(PageRange::Of(1023 * each, 1024 * each)));
  const Distribution cyclic =
      Dealt({{kLong, kSide, kSide}, 8}, Cyclic{.first = 0, .count = 1024}, space);
  EXPECT_EQ(cyclic.pages().value() % 1024, 0u);
  EXPECT_EQ(cyclic.NextPagesOf(5, PageNumber(cyclic.pages().value() - 2000)),
            (PageRange::Of(cyclic.pages().value() - 1019, cyclic.pages().value() - 1018)));
}

TEST(Distribution, OfTheLargestArrayDoesNotOverflow) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int kRanks = std::numeric_limits<int>::max();
  for (const Mapping& mapping :
       {Mapping(OnRank{kRanks - 1}), Mapping(Block{0, kRanks}), Mapping(Cyclic{kMost, 5, 7}),
        Mapping(Cyclic{1, 0, kRanks}), Mapping(BlockMapping{{kMost}, 0, kRanks})}) {
    for (const std::uint64_t page_bytes : {std::uint64_t{1}, kPage, kMost}) {
      const Distribution it = Dealt({{kMost}}, mapping, {page_bytes, kRanks});
      const std::uint64_t last = it.pages().value() - 1;
      const int home = it.HomeOf(PageNumber(last));
      EXPECT_EQ(it.NextPagesOf(home, PageNumber(last)), (PageRange::Of(last, last + 1)));
      EXPECT_EQ(it.NextPagesOf(home, PageNumber(last + 1)), (PageRange::Of(last + 1, last + 1)));
      const Bounds block = it.LocalBlock(home, it.LocalBlocks(home) - 1);
      EXPECT_LE(block.begin[0], block.end[0]);
      EXPECT_LE(block.end[0], kMost);
    }
  }
}

struct Refused {
  std::string what;
  ArrayShape array;
  Mapping mapping;
  SpaceShape space;
  std::string value, expected;
};

class RefusedDistribution : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedDistribution, NamesTheValueAndWhatWasExpected) {
  const Refused& refused = GetParam();
  const absl::Status status =
      Distribution::Make(refused.array, refused.mapping, refused.space).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(refused.value), HasSubstr(refused.expected)));
}

constexpr SpaceShape kSpace{.page_bytes = kPage, .ranks = 4};
constexpr std::uint64_t kHuge = std::uint64_t{1} << 32;

INSTANTIATE_TEST_SUITE_P(
    Distribution, RefusedDistribution,
    ::testing::Values(
        Refused{"NoDimension", {{}}, OnRank{0}, kSpace, "0 dimensions", "1 to 8"},
        Refused{"NineDimensions",
                {{1, 1, 1, 1, 1, 1, 1, 1, 1}},
                OnRank{0},
                kSpace,
                "9 dimensions",
                "1 to 8"},
        Refused{"AnEmptyDimension", {{4, 0}}, OnRank{0}, kSpace, "extents[1] is 0", "1 to 2^63"},
        Refused{"ElementsOfNoBytes", {{4}, 0}, OnRank{0}, kSpace, "element_bytes is 0", "1 to"},
        Refused{"TooManyElements",
                {{kHuge, kHuge}},
                OnRank{0},
                kSpace,
                "extents[1] = 4294967296",
                "2^63 - 1 bytes"},
        Refused{"TooManyBytes", {{1, kHuge}, kHuge}, OnRank{0}, kSpace, "extents[1]", "bytes"},
        Refused{"PagesOfNoBytes", {{4}}, OnRank{0}, {0, 4}, "page_bytes is 0", "1 to"},
        Refused{"NoRanks", {{4}}, OnRank{0}, {kPage, 0}, "ranks is 0", "1 or more"},
        Refused{"ARankThatIsNotThere", {{4}}, OnRank{4}, kSpace, "ranks 4 to 4", "0 to 3"},
        Refused{"ANegativeRank", {{4}}, OnRank{-1}, kSpace, "ranks -1 to -1", "0 to 3"},
        Refused{"TooManyRanks", {{4}}, Block{2, 3}, kSpace, "ranks 2 to 4", "0 to 3"},
        Refused{"RanksThatOverflow",
                {{4}},
                Cyclic{1, 1, std::numeric_limits<int>::max()},
                kSpace,
                "ranks 1 to 2147483647",
                "0 to 3"},
        Refused{"ACountOfNone", {{4}}, Block{0, 0}, kSpace, "count is 0", "1 or more"},
        Refused{"NoPagesAtATime", {{4}}, Cyclic{0, 0, 2}, kSpace, "pages is 0", "1 to"},
        Refused{"ADivisionTooFew",
                {{4, 4}},
                BlockMapping{{2}, 0, 2},
                kSpace,
                "1 dimensions for an array of 2",
                "one each"},
        Refused{"NoDivisions",
                {{4, 4}},
                BlockMapping{{2, 0}, 0, 2},
                kSpace,
                "divisions[1] is 0",
                "1 to"},
        Refused{"TooManyBlocks",
                {{4, 4}},
                BlockMapping{{kHuge, kHuge}, 0, 2},
                kSpace,
                "divisions[1] = 4294967296",
                "2^63 - 1 blocks"}),
    [](const auto& info) { return info.param.what; });

TEST(Distribution, AscendingPagesBecomeRanges) {
  std::vector<PageNumber> numbers;
  for (const int number : {1, 2, 3, 7, 9, 10}) numbers.emplace_back(number);
  EXPECT_EQ(AsRanges(numbers), (std::vector<PageRange>{PageRange::Of(1, 4), PageRange::Of(7, 8),
                                                       PageRange::Of(9, 11)}));
  EXPECT_TRUE(AsRanges({}).empty());
}

}  // namespace
}  // namespace dsm
