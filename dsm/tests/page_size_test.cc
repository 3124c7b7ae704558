#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "dsm/layout/pages.h"

namespace dsm {
namespace {

using testing::ElementsAre;

constexpr PageSize kSize(4096);

TEST(Pages, DoNotMixWithBytesNorNumbersWithCounts) {
  static_assert(!std::is_convertible_v<std::uint64_t, PageNumber>);
  static_assert(!std::is_convertible_v<std::uint64_t, PageCount>);
  static_assert(!std::is_convertible_v<PageNumber, std::uint64_t>);
  static_assert(!std::is_convertible_v<PageNumber, PageCount>);
  static_assert(!std::is_invocable_v<std::plus<>, PageNumber, PageNumber>);
  static_assert(!std::is_invocable_v<std::multiplies<>, PageCount, std::uint64_t>);
  static_assert(std::is_same_v<decltype(PageNumber() - PageNumber()), PageCount>);
}

TEST(PageSize, ConvertsPagesToBytesAndBack) {
  EXPECT_EQ(kSize.OffsetOf(PageNumber(3)), 12288u);
  EXPECT_EQ(kSize.BytesOf(PageCount(2)), 8192u);
  EXPECT_EQ(kSize.BytesOf(PageRange::Of(1, 3)), (ByteRange{4096, 12288}));
  EXPECT_EQ(kSize.PageAt(4095), PageNumber(0));
  EXPECT_EQ(kSize.PageAt(4096), PageNumber(1));
  EXPECT_EQ(kSize.PageFrom(4096), PageNumber(1));
  EXPECT_EQ(kSize.PageFrom(4097), PageNumber(2));
  EXPECT_EQ(kSize.WholePagesIn(8191), PageCount(1));
  EXPECT_EQ(kSize.PagesFor(8191), PageCount(2));
  EXPECT_EQ(kSize.PagesFor(0), PageCount(0));
}

TEST(PageSize, OfBytesThatBeginOrEndWithinAPageDistinguishesTouchedAndFilledOnes) {
  EXPECT_EQ(kSize.PagesTouchedBy({4095, 8193}), PageRange::Of(0, 3));
  EXPECT_EQ(kSize.PagesFilledBy({4095, 8193}), PageRange::Of(1, 2));
  EXPECT_EQ(kSize.PagesTouchedBy({4096, 8192}), PageRange::Of(1, 2));
  EXPECT_EQ(kSize.PagesFilledBy({4096, 8192}), PageRange::Of(1, 2));
  const PageRange none = kSize.PagesFilledBy({1, 2});
  EXPECT_GE(none.first, none.last);
}

TEST(PageSize, AtTheEndOfTheNumbersDoesNotOverflow) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(kSize.PageFrom(kMost), PageNumber(kMost / 4096 + 1));
  EXPECT_EQ(PageSize(kMost).PagesFor(kMost), PageCount(1));
}

TEST(PageSize, AtLeastOnePageIsSentAtOnce) {
  EXPECT_EQ(kSize.PagesAtOnce(10'000), PageCount(2));
  EXPECT_EQ(kSize.PagesAtOnce(1), PageCount(1));
}

TEST(PageRange, IsWalkedPageByPageAndPartByPart) {
  std::vector<std::uint64_t> pages;
  for (const PageNumber page : PageRange::Of(3, 6)) pages.push_back(page.value());
  EXPECT_THAT(pages, ElementsAre(3, 4, 5));
  std::vector<PageRange> parts;
  ForEachPart(PageRange::Of(3, 8), PageCount(2), [&](PageRange part) { parts.push_back(part); });
  EXPECT_THAT(parts, ElementsAre(PageRange::Of(3, 5), PageRange::Of(5, 7), PageRange::Of(7, 8)));
  ForEachPart(PageRange::Of(3, 3), PageCount(2), [&](PageRange) { ADD_FAILURE(); });
}

TEST(PageMemory, HasTheBytesOfAPage) {
  std::vector<std::byte> bytes(16);
  const PageMemory memory(bytes, PageSize(4));
  EXPECT_EQ(memory.pages(), PageCount(4));
  EXPECT_EQ(memory.BytesOf(PageNumber(2)).data(), &bytes[8]);
  EXPECT_EQ(memory.BytesOf(PageRange::Of(1, 3)).size(), 8u);
}

}  // namespace
}  // namespace dsm
