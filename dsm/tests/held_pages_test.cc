#include "dsm/cache/held_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace dsm {
namespace {

constexpr std::uint64_t kPages = 200;

struct Held {
  Held() {
    EXPECT_TRUE(marks.Open(PageCount(kPages)).ok());
    EXPECT_TRUE(pages.Open(PageCount(kPages)).ok());
  }
  PageMarks marks;
  HeldPages pages{marks};
};

std::vector<std::uint64_t> Numbers(const std::vector<PageNumber>& pages) {
  std::vector<std::uint64_t> numbers;
  for (const PageNumber page : pages) numbers.push_back(page.value());
  return numbers;
}
std::vector<std::uint64_t> Numbers(const std::set<std::uint64_t>& pages, std::uint64_t first = 0,
                                   std::uint64_t last = kPages) {
  return {pages.lower_bound(first), pages.lower_bound(last)};
}

TEST(HeldPages, AreThoseThatWereAddedAndNotForgotten) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  Held held;
  std::set<std::uint64_t> all, added;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t first = below(kPages), last = first + below(kPages - first + 1);
    switch (below(6)) {
      case 0: {
        const std::uint64_t few = std::min(last, first + 3);
        held.pages.Add(PageRange::Of(first, few));
        for (std::uint64_t page = first; page < few; ++page) all.insert(page), added.insert(page);
        break;
      }
      case 1: {
        std::vector<PageNumber> pages;
        for (const PageNumber page : PageRange::Of(first, last)) pages.push_back(page);
        const std::uint64_t odd = below(2);
        held.pages.Forget(pages, [&](PageNumber page) { return page.value() % 2 == odd; });
        std::erase_if(all, [&](std::uint64_t p) { return p >= first && p < last && p % 2 == odd; });
        break;
      }
      case 2:
        held.pages.SetOld(PageNumber(first));
        added.erase(first);
        break;
      case 3:
        ASSERT_EQ(Numbers(held.pages.All()), Numbers(all));
        break;
      case 4:
        ASSERT_EQ(Numbers(held.pages.In(PageRange::Of(first, last))), Numbers(all, first, last));
        break;
      default:
        ASSERT_EQ(held.pages.IsNew(PageNumber(first)), added.contains(first));
        if (below(4) > 0) break;
        ASSERT_EQ(Numbers(held.pages.TakeNew()), Numbers(added));
        added.clear();
    }
  }
}

// Pages that come and go for ever take no more room in the list than pages that stay.
TEST(PageSet, HasAtMostHalfAsManyEntriesAgainForPagesThatWereRemoved) {
  PageMarks marks;
  ASSERT_TRUE(marks.Open(PageCount(10'000)).ok());
  PageSet set(marks, kListed, kListedEntry);
  ASSERT_TRUE(set.Open(PageCount(10'000)).ok());
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    set.Add(PageNumber(i % 10'000));
    set.Remove(PageNumber(i % 10'000));
    ASSERT_LE(set.most(), PageCount(200));
  }
}

}  // namespace
}  // namespace dsm
