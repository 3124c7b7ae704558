#include "dsm/cache/held_pages.h"

#include <algorithm>
#include <utility>

namespace dsm {

absl::Status HeldPages::Open(PageCount pages) {
  auto array = PageArray<PageNumber>::Make(pages);
  if (!array.ok()) return array.status();
  const topo::Lock lock(lock_);
  pages_ = *std::move(array);
  return absl::OkStatus();
}

void HeldPages::Add(PageRange pages) {
  const topo::Lock lock(lock_);
  for (const PageNumber page : pages) {
    marks_.Set(page, kNew);
    if (marks_.Is(page, kListed)) continue;
    marks_.Set(page, kListed);
    pages_[end_] = page;
    ++end_;
  }
}

std::vector<PageNumber> HeldPages::All() {
  std::vector<PageNumber> pages;
  {
    const topo::Lock lock(lock_);
    pages.assign(&pages_[PageNumber(0)], &pages_[end_]);
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<PageNumber> HeldPages::TakeNew() {
  std::vector<PageNumber> pages = All();
  std::erase_if(pages, [&](PageNumber page) {
    if (!IsNew(page)) return true;
    SetOld(page);
    return false;
  });
  return pages;
}

}  // namespace dsm
