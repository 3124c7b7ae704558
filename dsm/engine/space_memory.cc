#include "dsm/engine/space_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/job.h"
#include "llcl/process_limits.h"
#include "llcl/shared_memory.h"

namespace dsm {

absl::StatusOr<std::unique_ptr<SpaceMemory>> SpaceMemory::Make(llcl::Endpoint& endpoint,
                                                               const SpaceMemoryOptions& options) {
  const auto [base, bytes, page_size, engine, dumps] = options;
  std::unique_ptr<SpaceMemory> memory(new SpaceMemory(page_size));
  const PageSize system_page(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  const std::uint64_t behind =
      page_size.WholePagesIn(bytes).value() * (sizeof(std::uint64_t) + sizeof(HomeWord));
  const std::uint64_t all = bytes + system_page.BytesOf(system_page.PagesFor(behind));
  absl::StatusOr<llcl::OwnedFd> fd = llcl::NewSharedMemory(all, "lower SpaceOptions::bytes");
  if (!fd.ok()) return fd.status();
  memory->fd_ = *std::move(fd);
  absl::StatusOr<Reserved> view = Reserved::SharedAt(base, memory->fd(), bytes);
  if (!view.ok()) return view.status();
  memory->view_ = *std::move(view);
  absl::StatusOr<llcl::Region> region = endpoint.RegisterShared(memory->fd(), 0, all);
  if (absl::IsResourceExhausted(region.status())) {
    return absl::ResourceExhaustedError(absl::StrCat(region.status().message(),
                                                     " (SpaceOptions::bytes is ", bytes,
                                                     ", mapped twice: lower it)"));
  }
  if (!region.ok()) return region.status();
  memory->region_ = *std::move(region);
  if (!dumps) {
    memory->view_.KeepOutOfCores();
    (void)madvise(memory->region_.local().start, all, MADV_DONTDUMP);
  }
  absl::StatusOr<std::unique_ptr<Engine>> made = MakeEngine(engine, memory->view());
  if (!made.ok()) return made.status();
  memory->engine_ = *std::move(made);
  return memory;
}

absl::Status SpaceMemory::MeetOthers(llcl::Endpoint& endpoint) {
  auto homes = llcl::Exchange(endpoint, region_);
  if (homes.ok()) homes_ = *std::move(homes);
  return homes.status();
}

absl::Status SpaceMemory::CheckGivesBack() const {
  const auto system_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (madvise(region_.local().start, system_page, MADV_REMOVE) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("a bounded cache gives memory back by ",
                                             llcl::WhyCallFailed("madvise", errno),
                                             "; SpaceOptions::cache_bytes = 0 needs it not"));
}

absl::Status SpaceMemory::GiveBack(PageRange pages) const {
  const std::span<std::byte> bytes = received().BytesOf(pages);
  if (madvise(bytes.data(), bytes.size(), MADV_REMOVE) == 0) return absl::OkStatus();
  return absl::UnavailableError("memory is given back by " + llcl::WhyCallFailed("madvise", errno));
}

void SpaceMemory::Clear(PageRange pages) const {
  const std::span<std::byte> bytes = received().BytesOf(pages);
  if (madvise(bytes.data(), bytes.size(), MADV_REMOVE) == 0) return;
  std::fill(bytes.begin(), bytes.end(), std::byte{0});  // The system refuses, as a filter may.
}

// By whole pages of the system, so that words that were never written take no memory now.
void SpaceMemory::ClearHomeWords(PageRange pages) const {
  const auto system_page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const begin = reinterpret_cast<std::byte*>(&home_words()[pages.first.value()]);
  auto* const end = begin + pages.count().value() * sizeof(HomeWord);
  const auto to_next_page = [&](const std::byte* at) {
    return (system_page - reinterpret_cast<std::uintptr_t>(at) % system_page) % system_page;
  };
  const auto bytes = static_cast<std::uintptr_t>(end - begin);
  const std::uintptr_t head = std::min(to_next_page(begin), bytes);
  const std::uintptr_t whole = (bytes - head) / system_page * system_page;
  if (whole > 0 && madvise(begin + head, whole, MADV_REMOVE) != 0) {
    std::fill_n(begin + head, whole, std::byte{0});
  }
  std::fill_n(begin, head, std::byte{0});
  std::fill(begin + head + whole, end, std::byte{0});
}

std::span<std::uint64_t> SpaceMemory::versions() const {
  return {reinterpret_cast<std::uint64_t*>(region_.local().start + view_.bytes()), pages()};
}

std::span<SpaceMemory::HomeWord> SpaceMemory::home_words() const {
  return {reinterpret_cast<HomeWord*>(region_.local().start + OffsetOfHomeWord(PageNumber(0))),
          pages()};
}

}  // namespace dsm
