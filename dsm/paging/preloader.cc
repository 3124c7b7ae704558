#include "dsm/paging/preloader.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "dsm/layout/parts.h"

namespace dsm {

absl::StatusOr<PageRange> Preloader::Touch(std::span<const std::byte> memory) const {
  const absl::StatusOr<PageRange> pages = map_->PagesOf(memory);
  if (!pages.ok()) return pages;
  if (absl::Status claimed = claims_->ClaimAll(*pages); !claimed.ok()) return claimed;
  return pages;
}

void Preloader::Bring(PageRange pages, Access access) const {
  map_->ForEachForeignRun(pages, [&](int, PageRange run) { copies_->Preload(run, access); });
}

absl::Status Preloader::Preload(std::span<const std::byte> memory, Access access) const {
  const absl::StatusOr<PageRange> pages = Touch(memory);
  if (!pages.ok()) return pages.status();
  PageCount foreign;
  map_->ForEachForeignRun(*pages, [&](int, PageRange run) { foreign += run.count(); });
  const PageCount most = map_->page_size().WholePagesIn(limits_.cache_bytes);
  if (most > PageCount(0) && foreign > most) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the cache has ", most.value(), " pages, not the ", foreign.value(), " that are to come"));
  }
  // A search for races must know what was changed.
  if (access == Access::kOverwrite && limits_.finds_races) access = Access::kWrite;
  if (access != Access::kOverwrite) {
    Bring(*pages, access);
    return absl::OkStatus();
  }
  // Memory beside it on its first and last page comes.
  const PageRange filled = map_->page_size().PagesFilledBy(map_->BytesOf(memory));
  if (memory.empty() || filled.first >= filled.last) {
    Bring(*pages, Access::kWrite);
    return absl::OkStatus();
  }
  Bring({pages->first, filled.first}, Access::kWrite);
  Bring(filled, Access::kOverwrite);
  Bring({filled.last, pages->last}, Access::kWrite);
  return absl::OkStatus();
}

absl::Status Preloader::PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                                     Access access) const {
  // Memory between rows is not overwritten.
  const std::uint64_t gap = access == Access::kOverwrite ? 0 : map_->page_size().bytes();
  const auto ranges = BytesOfPart(shape, part, gap);
  if (!ranges.ok()) return ranges.status();
  const auto* const first = static_cast<const std::byte*>(array);
  for (const ByteRange& range : *ranges) {
    const absl::Status loaded = Preload({first + range.first, range.bytes()}, access);
    if (!loaded.ok()) return loaded;
  }
  return absl::OkStatus();
}

absl::StatusOr<Arrival> Preloader::StartPreload(std::span<const std::byte> memory,
                                                Access access) const {
  const absl::StatusOr<PageRange> pages = Touch(memory);
  if (!pages.ok()) return pages.status();
  if (access == Access::kOverwrite) {
    return absl::InvalidArgumentError("nothing comes of what is to be overwritten: Preload");
  }
  map_->ForEachForeignRun(*pages,
                          [&](int, PageRange run) { (void)copies_->StartPreload(run, access); });
  return Arrival(*this, memory, access);
}

bool Preloader::IsThere(std::span<const std::byte> memory) const {
  bool is_there = true;
  map_->ForEachForeignRun(map_->PagesOf(memory).value(), [&](int, PageRange run) {
    is_there = copies_->IsThere(run) && is_there;
  });
  return is_there;
}

absl::Status Preloader::MakeResident(std::span<const std::byte> memory, Access access) const {
  const absl::StatusOr<PageRange> pages = Touch(memory);
  if (!pages.ok()) return pages.status();
  std::vector<PageRange> foreign;
  map_->ForEachRun(*pages, [&](int home, PageRange run) {
    if (home != map_->rank()) return foreign.push_back(run);
    if (access == Access::kRead) return;
    // Pages whose writes are tracked count as written now.
    const bool is_opened = map_->AllocationAt(run.first)->touched != nullptr;
    for (const PageNumber page : run) {
      if (is_opened) {
        home_->OnFaultOpened(page, Access::kWrite);
      } else {
        (void)home_->OnFault(page, Access::kWrite);
      }
    }
  });
  if (!copies_->frames().TryPin(foreign)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no more than half of the cache of ", limits_.cache_bytes,
                     " bytes can be made resident between two barriers"));
  }
  return Preload(memory, access);
}

}  // namespace dsm
