#include "dsm/report/hot_pages.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "dsm/report/element_name.h"

namespace dsm {

std::vector<HotPage> HottestPages(const AddressMap& map, const Heat& heat,
                                  std::uint32_t PageHeat::*count, std::size_t most) {
  std::vector<HotPage> pages;
  for (const auto& allocation : map.allocations()) {
    for (const PageNumber page : allocation->pages()) {
      const PageHeat of_page = heat.of(page);
      if (of_page.*count == 0) continue;
      pages.push_back({map.AddressOf(page), allocation->HomeOf(page), of_page});
    }
  }
  std::stable_sort(pages.begin(), pages.end(), [&](const HotPage& a, const HotPage& b) {
    return a.heat.*count > b.heat.*count;
  });
  pages.resize(std::min(most, pages.size()));
  return pages;
}

std::string DescribePages(const AddressMap& map, std::span<const HotPage> pages) {
  std::string text = "page            home  faults  fetched  written  shared  element\n";
  for (const HotPage& page : pages) {
    absl::StrAppendFormat(&text, "0x%-12x  %4d  %6u  %7u  %7u  %6u  %s\n",
                          reinterpret_cast<std::uintptr_t>(page.at), page.home, page.heat.faults,
                          page.heat.fetched, page.heat.written, page.heat.shared,
                          NameOfElement(map, map.OffsetOf(page.at)));
  }
  return text;
}

}  // namespace dsm
