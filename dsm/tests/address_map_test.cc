#include "dsm/layout/address_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <tuple>
#include <vector>

namespace dsm {
namespace {

using testing::ElementsAre, testing::HasSubstr;

constexpr std::uint64_t kPage = 4096;

// A space of 16 pages, on rank 1 of 3; nothing reads or writes its memory.
class AddressMapTest : public testing::Test {
 protected:
  const Allocation& Add(std::uint64_t bytes, const Mapping& mapping) {
    const auto added = map_.Add({{bytes}}, mapping);
    EXPECT_TRUE(added.ok()) << added.status();
    return **added;
  }
  std::byte* At(std::uint64_t offset) { return space_.data() + offset; }

  std::vector<std::byte> space_ = std::vector<std::byte>(16 * kPage);
  AddressMap map_{space_, PageSize(kPage), 1, 3, 0};
};

TEST_F(AddressMapTest, AllocationsFollowEachOtherAndBeginWithPages) {
  EXPECT_EQ(map_.end(), PageNumber(0));
  EXPECT_EQ(Add(kPage + 1, OnRank{2}).pages(), PageRange::Of(0, 2));
  EXPECT_EQ(Add(3 * kPage, Block{0, 3}).pages(), PageRange::Of(2, 5));
  EXPECT_EQ(map_.end(), PageNumber(5));
  EXPECT_EQ(map_.HomeOf(At(kPage)), 2);
  for (const int rank : {0, 1, 2}) {
    EXPECT_EQ(map_.HomeOf(PageNumber(2 + static_cast<std::uint64_t>(rank))), rank);
  }
  EXPECT_EQ(map_.DistributionOf(At(2 * kPage)).bytes(), 3 * kPage);
  EXPECT_EQ(map_.AllocationAt(PageNumber(5)), nullptr);
}

TEST_F(AddressMapTest, PagesOfMemoryAreAllThatItLiesIn) {
  Add(4 * kPage, OnRank{0});
  EXPECT_EQ(*map_.PagesOf({At(kPage - 1), 2}), PageRange::Of(0, 2));
  EXPECT_EQ(*map_.PagesOf({At(kPage), kPage}), PageRange::Of(1, 2));
  EXPECT_TRUE(map_.PagesOf({})->empty());
}

TEST_F(AddressMapTest, MemoryThatIsNotAllAllocatedIsRefused) {
  Add(4 * kPage, OnRank{0});
  const std::byte elsewhere{};
  for (const std::span<const std::byte> memory :
       {std::span<const std::byte>(At(3 * kPage), kPage + 1), std::span(&elsewhere, 1),
        std::span<const std::byte>(At(0), 17 * kPage),
        std::span<const std::byte>(At(0), ~std::size_t{0})}) {
    const auto pages = map_.PagesOf(memory);
    EXPECT_EQ(pages.status().code(), absl::StatusCode::kOutOfRange) << memory.size();
    EXPECT_THAT(std::string(pages.status().message()), HasSubstr("not all allocated"));
  }
}

TEST_F(AddressMapTest, RunsHaveOneHomeEachAcrossAllocations) {
  Add(4 * kPage, Cyclic{.pages = 1, .first = 0, .count = 2});
  Add(2 * kPage, OnRank{1});
  std::vector<std::tuple<int, PageRange>> runs;
  map_.ForEachRun(PageRange::Of(1, 6),
                  [&](int home, PageRange run) { runs.emplace_back(home, run); });
  EXPECT_THAT(runs,
              ElementsAre(std::tuple(1, PageRange::Of(1, 2)), std::tuple(0, PageRange::Of(2, 3)),
                          std::tuple(1, PageRange::Of(3, 4)), std::tuple(1, PageRange::Of(4, 6))));
  std::vector<PageRange> foreign;
  map_.ForEachForeignRun(PageRange::Of(0, 6), [&](int home, PageRange run) {
    EXPECT_EQ(home, 0);
    foreign.push_back(run);
  });
  EXPECT_THAT(foreign, ElementsAre(PageRange::Of(0, 1), PageRange::Of(2, 3)));
}

// Ranks that send what makes no sense are not believed.
TEST_F(AddressMapTest, OnlyPagesOfOnePieceAtHomeAreAtHome) {
  Add(6 * kPage, Cyclic{.pages = 2, .first = 0, .count = 2});
  EXPECT_TRUE(map_.AreAtHome(PageRange::Of(2, 4)));
  EXPECT_TRUE(map_.AreAtHome(PageRange::Of(3, 4)));
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(2, 5)));
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(1, 4)));
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(3, 3)));
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(3, 2)));
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(6, 7)));
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(~std::uint64_t{0} - 1, ~std::uint64_t{0})));
}

TEST_F(AddressMapTest, PagesThatWereFreedAreAllocatedAnewFirst) {
  const Allocation& first = Add(2 * kPage, OnRank{0});
  const Allocation& second = Add(3 * kPage, OnRank{1});
  Add(kPage, OnRank{2});
  EXPECT_EQ(*map_.Find({At(2 * kPage), 3 * kPage}), &second);
  for (const std::span<const std::byte> other :
       {std::span<const std::byte>(At(2 * kPage), 2 * kPage),
        std::span<const std::byte>(At(3 * kPage), 2 * kPage),
        std::span<const std::byte>(At(6 * kPage), kPage), std::span<const std::byte>()}) {
    EXPECT_EQ(map_.Find(other).status().code(), absl::StatusCode::kInvalidArgument);
  }
  map_.Remove(second);
  EXPECT_EQ(map_.AllocationAt(PageNumber(2)), nullptr);
  EXPECT_FALSE(map_.AreAtHome(PageRange::Of(2, 3)));
  EXPECT_FALSE(map_.PagesOf({At(kPage), 5 * kPage}).ok()) << "there is a gap";
  EXPECT_EQ(Add(4 * kPage, OnRank{0}).pages(), PageRange::Of(6, 10)) << "the gap is too small";
  EXPECT_EQ(Add(kPage, OnRank{2}).pages(), PageRange::Of(2, 3));
  EXPECT_EQ(Add(2 * kPage, OnRank{1}).pages(), PageRange::Of(3, 5));
  EXPECT_EQ(map_.HomeOf(PageNumber(2)), 2);
  EXPECT_EQ(*map_.PagesOf({At(0), 10 * kPage}), PageRange::Of(0, 10));
  map_.Remove(first);
  EXPECT_EQ(map_.end(), PageNumber(10));
  EXPECT_EQ(Add(2 * kPage, OnRank{0}).pages(), PageRange::Of(0, 2));
  EXPECT_EQ(Add(kPage, OnRank{0}).pages(), PageRange::Of(10, 11));
}

// As handlers of faults do while another thread allocates.
TEST_F(AddressMapTest, AnAllocationIsFoundWhileOthersComeAndGo) {
  const Allocation* gone = &Add(kPage, OnRank{0});
  Add(kPage, OnRank{1});
  Add(kPage, OnRank{2});
  std::atomic<bool> ends{false};
  std::thread reader([&] {
    while (!ends.load()) {
      ASSERT_EQ(map_.HomeOf(PageNumber(1)), 1);
      ASSERT_EQ(map_.HomeOf(PageNumber(2)), 2);
      ASSERT_EQ(map_.AllocationAt(PageNumber(9)), nullptr);
    }
  });
  for (int i = 0; i < 2'000; ++i) {
    map_.Remove(*gone);
    gone = &Add(kPage, OnRank{i % 3});
    ASSERT_EQ(gone->first_page, PageNumber(0));
  }
  ends.store(true);
  reader.join();
}

TEST_F(AddressMapTest, HomesThatWereFreedHaveRoomAgain) {
  AddressMap map(space_, PageSize(kPage), 1, 3, 2 * kPage);
  const auto added = map.Add({{2 * kPage}}, OnRank{2});
  ASSERT_TRUE(added.ok());
  EXPECT_FALSE(map.Add({{kPage}}, OnRank{2}).ok());
  map.Remove(**added);
  EXPECT_TRUE(map.Add({{2 * kPage}}, OnRank{2}).ok());
}

TEST_F(AddressMapTest, AFullSpaceRefusesWhatItHasNoPagesFor) {
  Add(15 * kPage, OnRank{0});
  EXPECT_EQ(map_.Add({{2 * kPage}}, OnRank{0}).status().code(),
            absl::StatusCode::kResourceExhausted);
  Add(kPage, OnRank{0});
  EXPECT_EQ(map_.Add({{1}}, OnRank{0}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(AddressMapTest, ARankWithoutRoomForMoreHomesRefusesThemAndKeepsTheRest) {
  AddressMap map(space_, PageSize(kPage), 1, 3, 2 * kPage);
  ASSERT_TRUE(map.Add({{2 * kPage}}, OnRank{2}).ok());
  const auto full = map.Add({{3 * kPage}}, Block{0, 3});
  EXPECT_EQ(full.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.status().message()), HasSubstr("rank 2 has room for 2 pages"));
  EXPECT_TRUE(map.Add({{4 * kPage}}, Block{0, 2}).ok());
}

}  // namespace
}  // namespace dsm
