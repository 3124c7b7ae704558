// All memory of a space, to disk and back.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dsm/checkpoint/checkpoint_file.h"
#include "dsm/space.h"
#include "llcl/team.h"

namespace dsm {
namespace {

bool IsZero(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

CheckpointHeader Space::HeaderOfCheckpoint() const {
  const std::size_t count = allocation_count_.load(std::memory_order_relaxed);
  CheckpointHeader header = {.ranks = static_cast<std::uint64_t>(ranks_),
                             .rank = static_cast<std::uint64_t>(rank_),
                             .page_bytes = options_.page_bytes,
                             .pages = count == 0 ? 0 : allocations_[count - 1]->last_page()};
  // Of how many pages each allocation has, and which are here.
  const auto add = [&](std::uint64_t number) {
    header.dealing = (header.dealing ^ number) * 0x100000001b3 + 1;
  };
  for (std::size_t i = 0; i < count; ++i) {
    add(allocations_[i]->first_page);
    for (const PageRange& range : allocations_[i]->distribution.PagesOf(rank_)) {
      add(range.first);
      add(range.last);
    }
  }
  return header;
}

// The first that has failed says so to all.
absl::Status Space::Agree(const absl::Status& mine, const char* what) {
  std::vector<std::uint64_t> all;
  return Agree(mine, what, 0, all);
}
// `number`: of each rank, then in `all`; below the greatest.
absl::Status Space::Agree(const absl::Status& mine, const char* what, std::uint64_t number,
                          std::vector<std::uint64_t>& all) {
  constexpr std::uint64_t kFailed = ~std::uint64_t{0};
  const std::uint64_t failed = mine.ok() ? number : kFailed;
  all.assign(static_cast<std::size_t>(ranks_), 0);
  llcl::Flag done;
  const absl::Status told = WaitFor(job_.endpoint->world().TryAllgather(
                                        std::as_bytes(std::span(&failed, 1)),
                                        std::as_writable_bytes(std::span(all)), done.completion()),
                                    done);
  if (!mine.ok()) return mine;
  if (!told.ok()) return told;
  const auto other = std::find(all.begin(), all.end(), kFailed);
  if (other == all.end()) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("rank ", other - all.begin(), " cannot ", what));
}

absl::Status Space::Save(const std::string& path) {
  if (absl::Status met = Barrier(Consistency::kFlush); !met.ok()) return met;
  // So that files of two checkpoints are not taken for one.
  std::vector<std::uint64_t> numbers;
  std::random_device random;
  if (absl::Status told = Agree(absl::OkStatus(), "save its pages", random(), numbers);
      !told.ok()) {
    return told;
  }
  CheckpointWriter writer;
  const std::string file = absl::StrCat(path, ".", rank_);
  CheckpointHeader header = HeaderOfCheckpoint();
  header.number = numbers[0];
  absl::Status mine = writer.Open(file, header);
  const std::size_t count = allocation_count_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count && mine.ok(); ++i) {
    for (const PageRange& range : allocations_[i]->distribution.PagesOf(rank_)) {
      const std::uint64_t first = allocations_[i]->first_page;
      const absl::Status saved = SavePages(writer, {range.first + first, range.last + first});
      mine.Update(saved);
      if (!mine.ok()) break;
    }
  }
  if (mine.ok()) mine = writer.Finish();
  if (absl::Status all = Agree(mine, "save its pages"); !all.ok()) return all;
  return Agree(writer.Publish(), "save its pages");
}

// Pages of zeros are left out: new memory is so. What was never touched is not looked at, as that
// would take memory for it.
absl::Status Space::SavePages(CheckpointWriter& writer, PageRange pages) {
  const auto bytes_of = [&](PageRange some) {
    return std::span(memory_.local().start + some.first * options_.page_bytes,
                     (some.last - some.first) * options_.page_bytes);
  };
  const auto is_zero = [&](std::uint64_t page) { return IsZero(bytes_of({page, page + 1})); };
  const auto page_bytes = static_cast<off_t>(options_.page_bytes);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    const off_t data = lseek(memory_fd_.get(), static_cast<off_t>(page) * page_bytes, SEEK_DATA);
    if (data < 0) break;  // There is no more.
    page = std::max(page, static_cast<std::uint64_t>(data / page_bytes));
    if (page >= pages.last) break;
    if (is_zero(page)) continue;
    PageRange row = {page, page + 1};
    while (row.last < pages.last && !is_zero(row.last)) ++row.last;
    if (absl::Status added = writer.Add(row.first, bytes_of(row)); !added.ok()) return added;
    page = row.last;
  }
  return absl::OkStatus();
}

absl::Status Space::Restore(const std::string& path) {
  // Nobody looks at what is about to change, and no changes are on their way.
  if (absl::Status met = Barrier(Consistency::kFlush); !met.ok()) return met;
  const std::string file = absl::StrCat(path, ".", rank_);
  const CheckpointHeader header = HeaderOfCheckpoint();
  // All are good, and of one checkpoint, or none is touched.
  const auto number = ReadCheckpoint(file, header, [](auto...) { return absl::OkStatus(); });
  std::vector<std::uint64_t> numbers;
  if (absl::Status all = Agree(number.status(), "restore its pages", number.value_or(0), numbers);
      !all.ok()) {
    return all;
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    if (numbers[static_cast<std::size_t>(rank)] == numbers[0]) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        path, ".0 and ", path, ".", rank, " are of two checkpoints: one was not finished"));
  }
  std::uint64_t next = 0;  // pages before it are as they were saved
  const auto clear_until = [&](std::uint64_t end) {
    while (next < end) {
      const int home = HomeOfPage(next);
      const Allocation& allocation = *AllocationAt(next);
      const PageRange same =
          allocation.distribution.NextPagesOf(home, next - allocation.first_page);
      const std::uint64_t last = std::min(end, same.last + allocation.first_page);
      if (home == rank_) {
        madvise(memory_.local().start + next * options_.page_bytes,
                (last - next) * options_.page_bytes, MADV_REMOVE);
      }
      next = last;
    }
  };
  const auto put = [&](std::uint64_t page, std::span<const std::byte> bytes) {
    clear_until(page);
    std::memcpy(memory_.local().start + page * options_.page_bytes, bytes.data(), bytes.size());
    next = page + 1;
    return absl::OkStatus();
  };
  const absl::Status good = ReadCheckpoint(file, header, put).status();
  clear_until(header.pages);
  if (absl::Status all = Agree(good, "restore its pages"); !all.ok()) return all;
  return Barrier(Consistency::kDiscard);
}

}  // namespace dsm
