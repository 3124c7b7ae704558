// The memory of a space on one rank, and where it is on the others: one shared file with two views,
// the program's, at the same address on all ranks, where an engine maps pages; and the one where
// pages are received and sent. Behind the pages lie their versions (page_version.h), for other
// ranks to read, and the words of their first touch (home/home_claims.h).
//
// Threads: any, all const members, in signal handlers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/pages.h"
#include "llcl/endpoint.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"

namespace dsm {

// A value. `bytes`: whole pages.
struct SpaceMemoryOptions {
  std::uintptr_t base = 0;
  std::uint64_t bytes = 0;
  PageSize page_size{1};
  EngineKind engine = EngineKind::kAutomatic;
  bool dumps = false;  // both views are in the core of a process that crashes
};

// A resource. The endpoint outlives it.
class SpaceMemory {
 public:
  // Errors: FailedPrecondition where something else is at `base`; those of
  // the system, of the endpoint and of MakeEngine.
  static absl::StatusOr<std::unique_ptr<SpaceMemory>> Make(llcl::Endpoint& endpoint,
                                                           const SpaceMemoryOptions& options);
  // All ranks call it; before it nothing of other ranks' is known. Errors: Unavailable.
  absl::Status MeetOthers(llcl::Endpoint& endpoint);

  // The pages are zeros again, and take no memory. No rank uses them. Errors: Unavailable where the
  // system refuses.
  absl::Status GiveBack(PageRange pages) const;
  // Whether memory of pages can be given back to the system, as a bounded cache does. Errors:
  // Unavailable. Before there are pages.
  absl::Status CheckGivesBack() const;

  Engine& engine() const { return *engine_; }
  std::span<std::byte> view() const { return {view_.data(), view_.bytes()}; }
  // The other view.
  PageMemory received() const { return {{region_.local().start, view_.bytes()}, page_size_}; }
  // The pages are zeros. No rank uses them.
  void Clear(PageRange pages) const;
  int fd() const { return fd_.get(); }
  // A word for each page: the versions of those that are at home here.
  std::span<std::uint64_t> versions() const;

  // By page.
  struct HomeWord {
    std::uint32_t home = 0;    // a rank and 1, where this rank is the page's keeper
    std::uint32_t answer = 0;  // the keeper's home before this rank asked
  };
  std::span<HomeWord> home_words() const;
  // They are zeros, and take no memory. No rank uses them.
  void ClearHomeWords(PageRange pages) const;

  llcl::LocalAddress Local(PageNumber page) const {
    return {region_.local(), page_size_.OffsetOf(page)};
  }
  llcl::RemoteAddress At(int rank, std::uint64_t offset) const {
    return {homes_[static_cast<std::size_t>(rank)], offset};
  }
  llcl::RemoteAddress At(int rank, PageNumber page) const {
    return At(rank, page_size_.OffsetOf(page));
  }
  llcl::RemoteAddress VersionAt(int rank, PageNumber page) const {
    return At(rank, view_.bytes() + page.value() * sizeof(std::uint64_t));
  }
  llcl::RemoteAddress HomeWordAt(int rank, PageNumber page) const {
    return At(rank, OffsetOfHomeWord(page) + offsetof(HomeWord, home));
  }
  llcl::LocalAddress HomeAnswer(PageNumber page) const {
    return {region_.local(), OffsetOfHomeWord(page) + offsetof(HomeWord, answer)};
  }

 private:
  explicit SpaceMemory(PageSize page_size) : page_size_(page_size) {}
  std::uint64_t pages() const { return page_size_.WholePagesIn(view_.bytes()).value(); }
  std::uint64_t OffsetOfHomeWord(PageNumber page) const {
    return view_.bytes() + pages() * sizeof(std::uint64_t) + page.value() * sizeof(HomeWord);
  }

  const PageSize page_size_;
  llcl::OwnedFd fd_;
  Reserved view_;
  llcl::Region region_;
  std::vector<llcl::RemoteRegion> homes_;  // by rank
  std::unique_ptr<Engine> engine_;
};

}  // namespace dsm
