#include "dsm/cache/held_pages.h"

#include <algorithm>

namespace dsm {

absl::Status HeldPages::Open(PageCount pages) {
  const topo::Lock lock(lock_);
  absl::Status status = held_.Open(pages);
  status.Update(new_.Open(pages));
  return status;
}

void HeldPages::Add(PageRange pages) {
  const topo::Lock lock(lock_);
  for (const PageNumber page : pages) {
    new_.Add(page);
    held_.Add(page);
  }
}

std::vector<PageNumber> HeldPages::All() {
  std::vector<PageNumber> pages;
  {
    const topo::Lock lock(lock_);
    pages = held_.Members();
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<PageNumber> HeldPages::In(PageRange pages) {
  std::vector<PageNumber> held;
  {
    const topo::Lock lock(lock_);
    if (pages.count() <= held_.most()) {
      for (const PageNumber page : pages) {
        if (marks_.Is(page, kListed)) held.push_back(page);
      }
      return held;
    }
  }
  held = All();
  std::erase_if(held, [&](PageNumber page) { return !pages.Contains(page); });
  return held;
}

std::vector<PageNumber> HeldPages::TakeNew() {
  std::vector<PageNumber> pages;
  {
    const topo::Lock lock(lock_);
    pages = new_.TakeAll();
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

}  // namespace dsm
