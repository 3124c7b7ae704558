// What happened, told: races, and which pages cost most.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dsm/space.h"

namespace dsm {
namespace {

constexpr std::uint64_t kMostRacesTold = 10;

}  // namespace

// "[2][0][17] of the array at 0x200000000000".
std::string Space::NameOfElement(std::uint64_t offset) const {
  const Allocation& allocation = *AllocationAt(offset / options_.page_bytes);
  const std::uint64_t begin = allocation.first_page * options_.page_bytes;
  const Extents& extents = allocation.shape.extents;
  std::uint64_t element = (offset - begin) / allocation.shape.element_bytes;
  std::string indices;
  for (std::size_t d = extents.dims(); d-- > 0;) {
    // Behind the end of the array its last page goes on.
    const std::uint64_t index = d == 0 ? element : element % extents[d];
    indices = absl::StrCat("[", index, "]", indices);
    element /= extents[d];
  }
  return absl::StrCat(indices, " of the array at 0x", absl::Hex(options_.base + begin));
}

void Space::Tell(std::span<const Race> races) {
  for (const Race& race : races) {
    const std::uint64_t before = races_found_.fetch_add(1, std::memory_order_relaxed);
    if (before >= kMostRacesTold) continue;
    const std::string text = absl::StrCat(
        "dsm: race: ", race.bytes, race.bytes == 1 ? " byte" : " bytes", " at 0x",
        absl::Hex(options_.base + race.offset), ", element ", NameOfElement(race.offset),
        ", written by ranks ", race.one, " and ", race.other, " between the same flush barriers\n",
        before + 1 == kMostRacesTold ? "dsm: there may be more races at this rank\n" : "");
    std::fputs(text.c_str(), stderr);
  }
}

// Those with the most of something, which is zero for others.
template <typename Weight>
std::vector<HotPage> Space::Heaviest(std::size_t most, Weight weight) const {
  std::vector<HotPage> pages;
  const std::size_t count = allocation_count_.load(std::memory_order_acquire);
  const std::uint64_t last = count == 0 ? 0 : allocations_[count - 1]->last_page();
  for (std::uint64_t page = 0; page < last; ++page) {
    const PageHeat heat = heat_.of(page);
    if (weight(heat) == 0) continue;
    pages.push_back({view_.data() + page * options_.page_bytes, HomeOfPage(page), heat});
  }
  std::stable_sort(pages.begin(), pages.end(), [&](const HotPage& a, const HotPage& b) {
    return weight(a.heat) > weight(b.heat);
  });
  pages.resize(std::min(most, pages.size()));
  return pages;
}

std::vector<HotPage> Space::Hottest(std::size_t most) const {
  return Heaviest(most, [](const PageHeat& heat) { return heat.fetched; });
}
std::vector<HotPage> Space::FalselyShared(std::size_t most) const {
  return Heaviest(most, [](const PageHeat& heat) { return heat.shared; });
}

std::string Space::Describe(std::span<const HotPage> pages) const {
  std::string text = "page            home  faults  fetched  written  shared  element\n";
  for (const HotPage& page : pages) {
    absl::StrAppendFormat(&text, "0x%-12x  %4d  %6u  %7u  %7u  %6u  %s\n",
                          reinterpret_cast<std::uintptr_t>(page.at), page.home, page.heat.faults,
                          page.heat.fetched, page.heat.written, page.heat.shared,
                          NameOfElement(static_cast<std::uint64_t>(page.at - view_.data())));
  }
  return text;
}

}  // namespace dsm
