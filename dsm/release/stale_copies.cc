#include "dsm/release/stale_copies.h"

#include <span>
#include <utility>

#include "dsm/home/page_version.h"
#include "dsm/peers/transfers.h"

namespace dsm {

absl::StatusOr<std::unique_ptr<StaleCopies>> StaleCopies::Make(const Peers& peers,
                                                               const AddressMap& map,
                                                               const SpaceMemory& memory) {
  std::unique_ptr<StaleCopies> stale(new StaleCopies(peers, map, memory));
  auto versions = peers.endpoint().Allocate(kMostAtOnce * sizeof(PageVersion));
  if (!versions.ok()) return versions.status();
  stale->versions_ = *std::move(versions);
  return stale;
}

// Reads those of the first pages, as many as there is room for: slots_ has so many then.
absl::Status StaleCopies::ReadVersions(std::span<const PageNumber> pages) {
  slots_.clear();
  Transfers reads(peers_, {.refused = "homes cannot be asked any more",
                           .failed = "not all homes answered in time"});
  for (std::uint64_t used = 0; slots_.size() < pages.size() && reads.ok();) {
    PageRange run = {pages[slots_.size()], pages[slots_.size()]};
    const int home = map_.HomeOf(run.first);
    while (slots_.size() < pages.size()) {
      const PageNumber page = pages[slots_.size()];
      const std::uint64_t slot = used + (page - run.first).value();
      if (page >= run.last + kGap || slot >= kMostAtOnce || map_.HomeOf(page) != home) break;
      slots_.push_back(slot);
      run.last = page + PageCount(1);
    }
    if (run.empty()) break;
    const std::uint64_t count = run.count().value();
    reads.Read({.from = memory_.VersionAt(home, run.first),
                .to = {versions_.local(), used * sizeof(PageVersion)},
                .bytes = count * sizeof(PageVersion)});
    used += count;
  }
  return reads.Finish();
}

absl::Status StaleCopies::Keep(std::uint64_t epoch, const HeldPages& held,
                               std::vector<PageNumber>& pages) {
  const auto* const versions = reinterpret_cast<const PageVersion*>(versions_.local().start);
  std::size_t stale = 0;
  for (std::size_t first = 0; first < pages.size(); first += slots_.size()) {
    if (absl::Status read = ReadVersions(std::span(pages).subspan(first)); !read.ok()) return read;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const PageNumber page = pages[first + i];
      // What was fetched since this flush began was not reported to its home.
      if (versions[slots_[i]].MakesStale(peers_.rank(), epoch) || held.IsNew(page)) {
        pages[stale++] = page;
      }
    }
  }
  pages.resize(stale);
  return absl::OkStatus();
}

}  // namespace dsm
