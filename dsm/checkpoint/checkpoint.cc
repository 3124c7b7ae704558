#include "dsm/checkpoint/checkpoint.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dsm/checkpoint/checkpoint_file.h"

namespace dsm {
namespace {

bool IsZero(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

CheckpointHeader HeaderOf(const AddressMap& map) {
  CheckpointHeader header = {.ranks = static_cast<std::uint64_t>(map.ranks()),
                             .rank = static_cast<std::uint64_t>(map.rank()),
                             .page_bytes = map.page_size().bytes(),
                             .pages = map.pages().count().value()};
  // Of how many pages each allocation has, and which are here, by its own numbers.
  const auto add = [&](std::uint64_t number) {
    header.dealing = (header.dealing ^ number) * 0x100000001b3 + 1;
  };
  for (const std::unique_ptr<const Allocation>& allocation : map.allocations()) {
    add(allocation->first_page.value());
    for (const PageRange& range : allocation->distribution.PagesOf(map.rank())) {
      add(range.first.value());
      add(range.last.value());
    }
  }
  return header;
}

// Pages of zeros are left out: new memory is so. Pages that were never touched are not looked at,
// as that would take memory for them.
absl::Status SavePages(const CheckpointedSpace& space, PageRange pages, CheckpointWriter& writer) {
  const PageSize size = space.map.page_size();
  const PageMemory memory = space.memory.received();
  for (PageNumber page = pages.first; page < pages.last; ++page) {
    const off_t data = lseek(space.memory.fd(), static_cast<off_t>(size.OffsetOf(page)), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // There is no more.
    // Where the system does not say, all pages are looked at.
    if (data >= 0) page = std::max(page, size.PageAt(static_cast<std::uint64_t>(data)));
    if (page >= pages.last) break;
    if (IsZero(memory.BytesOf(page))) continue;
    PageRange row = PageRange::Only(page);
    while (row.last < pages.last && !IsZero(memory.BytesOf(row.last))) ++row.last;
    absl::Status added = writer.Add(row.first, memory.BytesOf(row));
    if (!added.ok()) return added;
    page = row.last;
  }
  return absl::OkStatus();
}

absl::Status SaveAtHome(const CheckpointedSpace& space, CheckpointWriter& writer) {
  for (const std::unique_ptr<const Allocation>& allocation : space.map.allocations()) {
    for (const PageRange& range : allocation->PagesOf(space.map.rank())) {
      if (absl::Status saved = SavePages(space, range, writer); !saved.ok()) return saved;
    }
  }
  return writer.Finish();
}

// Puts pages at home back as they were saved, ascending; those between are zeros again.
class PageRestorer {
 public:
  explicit PageRestorer(const CheckpointedSpace& space) : space_(space) {}

  void Put(PageNumber page, std::span<const std::byte> bytes) {
    ClearUntil(page);
    std::memcpy(space_.memory.received().BytesOf(page).data(), bytes.data(), bytes.size());
    next_ = page + PageCount(1);
  }
  void ClearUntil(PageNumber end) {
    if (next_ >= end) return;
    space_.map.ForEachRun({next_, end}, [&](int home, PageRange run) {
      if (home != space_.map.rank()) return;
      const std::span<std::byte> bytes = space_.memory.received().BytesOf(run);
      if (madvise(bytes.data(), bytes.size(), MADV_REMOVE) == 0) return;
      std::fill(bytes.begin(), bytes.end(), std::byte{0});  // The system refuses, as a filter may.
    });
    next_ = end;
  }

 private:
  const CheckpointedSpace& space_;
  PageNumber next_;  // pages before it are as they were saved
};

}  // namespace

absl::Status SaveCheckpoint(const CheckpointedSpace& space, const std::string& path) {
  constexpr const char* kWhat = "save its pages";
  if (absl::Status met = space.release.Barrier(Consistency::kFlush); !met.ok()) return met;
  // So that files of two checkpoints are not taken for one.
  std::vector<std::uint64_t> numbers;
  std::random_device random;
  absl::Status agreed = space.peers.Agree(absl::OkStatus(), kWhat, random(), numbers);
  if (!agreed.ok()) return agreed;
  CheckpointWriter writer;
  CheckpointHeader header = HeaderOf(space.map);
  header.number = numbers[0];
  absl::Status mine = writer.Open(absl::StrCat(path, ".", space.map.rank()), header);
  if (mine.ok()) mine = SaveAtHome(space, writer);
  if (absl::Status all = space.peers.Agree(mine, kWhat); !all.ok()) return all;
  return space.peers.Agree(writer.Publish(), kWhat);
}

absl::Status RestoreCheckpoint(const CheckpointedSpace& space, const std::string& path) {
  constexpr const char* kWhat = "restore its pages";
  // No thread looks at what is about to change, and no changes are on their way.
  if (absl::Status met = space.release.Barrier(Consistency::kFlush); !met.ok()) return met;
  const std::string file = absl::StrCat(path, ".", space.map.rank());
  const CheckpointHeader header = HeaderOf(space.map);
  // All are good, and of one checkpoint, or none is touched.
  const auto number = ReadCheckpoint(file, header, [](auto...) { return absl::OkStatus(); });
  std::vector<std::uint64_t> numbers;
  absl::Status agreed = space.peers.Agree(number.status(), kWhat, number.value_or(0), numbers);
  if (!agreed.ok()) return agreed;
  for (int rank = 0; rank < space.map.ranks(); ++rank) {
    if (numbers[static_cast<std::size_t>(rank)] == numbers[0]) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        path, ".0 and ", path, ".", rank, " are of two checkpoints: one was not finished"));
  }
  PageRestorer restorer(space);
  const auto put = [&](PageNumber page, std::span<const std::byte> bytes) {
    restorer.Put(page, bytes);
    return absl::OkStatus();
  };
  const absl::Status good = ReadCheckpoint(file, header, put).status();
  restorer.ClearUntil(space.map.pages().last);
  if (absl::Status all = space.peers.Agree(good, kWhat); !all.ok()) return all;
  return space.release.Barrier(Consistency::kDiscard);
}

}  // namespace dsm
