#include "dsm/layout/pages.h"

namespace dsm {

std::vector<PageRange> AsRanges(std::span<const PageNumber> pages) {
  std::vector<PageRange> ranges;
  for (const PageNumber page : pages) {
    if (!ranges.empty() && ranges.back().last == page) {
      ++ranges.back().last;
    } else {
      ranges.push_back(PageRange::Only(page));
    }
  }
  return ranges;
}

}  // namespace dsm
