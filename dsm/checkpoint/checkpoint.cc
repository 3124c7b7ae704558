#include "dsm/checkpoint/checkpoint.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dsm/checkpoint/checkpoint_file.h"
#include "dsm/checkpoint/checkpoint_names.h"

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
                             .pages = (map.end() - PageNumber(0)).value()};
  // Of how many pages each allocation has, and which are here, by its own numbers.
  const auto add = [&](std::uint64_t number) {
    header.dealing = (header.dealing ^ number) * 0x100000001b3 + 1;
  };
  for (const std::unique_ptr<const Allocation>& allocation : map.allocations()) {
    add(allocation->first_page.value());
    if (allocation->touched != nullptr) add(1);  // The dealing is a Block's, and homes are not.
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
  PageRestorer(const CheckpointedSpace& space, HomeClaims& claims)
      : space_(space), claims_(claims) {}

  // Errors: FailedPrecondition; Unavailable where a rank is gone.
  absl::Status Put(PageNumber page, std::span<const std::byte> bytes) {
    ClearUntil(page);
    // By first touch it has a home again now: the rank that it was saved on.
    const int home = claims_.Claim(page);
    if (home == kNoHome) return space_.peers.WhyNotAll("a page's first touch was not answered");
    if (home != space_.map.rank()) {
      return absl::FailedPreconditionError(absl::StrCat("page ", page.value(),
                                                        " was saved on rank ", space_.map.rank(),
                                                        ", and its home is ", home));
    }
    std::memcpy(space_.memory.received().BytesOf(page).data(), bytes.data(), bytes.size());
    next_ = page + PageCount(1);
    return absl::OkStatus();
  }
  void ClearUntil(PageNumber end) {
    if (next_ >= end) return;
    space_.map.ForEachAllocatedRun({next_, end}, [&](int home, PageRange run) {
      if (home == space_.map.rank()) space_.memory.Clear(run);
    });
    next_ = end;
  }

 private:
  const CheckpointedSpace& space_;
  HomeClaims& claims_;
  PageNumber next_;  // pages before it are as they were saved
};

constexpr const char* kSave = "save its pages";
constexpr const char* kRestore = "restore its pages";

// The file is whole, on the disk and in its place, beside those of the checkpoints before.
absl::Status WriteFile(const CheckpointedSpace& space, const std::string& file, std::uint64_t id) {
  CheckpointWriter writer;
  CheckpointHeader header = HeaderOf(space.map);
  header.number = id;
  if (absl::Status opened = writer.Open(file, header); !opened.ok()) return opened;
  if (absl::Status saved = SaveAtHome(space, writer); !saved.ok()) return saved;
  return writer.Publish();
}

// A checkpoint that a rank has a file of. A value.
struct Candidate {
  std::uint64_t number = 0;  // of the file's name
  std::uint64_t id = 0;      // the same in all files of one checkpoint
  bool is_there = false;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};
// Of each rank, the newest. There are more than two only where ranks could not remove files.
constexpr std::size_t kMostCandidates = 8;
using Candidates = std::array<Candidate, kMostCandidates>;

// `why`: of the newest that is no checkpoint's file.
Candidates CandidatesOf(const std::string& path, int rank, absl::Status& why) {
  Candidates candidates = {};
  std::size_t count = 0;
  const std::vector<std::uint64_t> numbers = CheckpointNumbers(path, rank);
  for (auto number = numbers.rbegin(); number != numbers.rend() && count < kMostCandidates;
       ++number) {
    const auto id = ReadCheckpointNumber(CheckpointFile(path, *number, rank));
    why.Update(id.status());
    if (id.ok()) candidates[count++] = {*number, *id, true};
  }
  return candidates;
}

// The numbers of the checkpoints that all ranks have, the newest first. Errors: NotFound,
// FailedPrecondition.
absl::StatusOr<std::vector<std::uint64_t>> CommonNumbers(const CheckpointedSpace& space,
                                                         const std::string& path) {
  std::vector<Candidates> all(static_cast<std::size_t>(space.map.ranks()));
  absl::Status why;
  const Candidates mine = CandidatesOf(path, space.map.rank(), why);
  if (absl::Status met = space.peers.Allgather(mine, std::span(all)); !met.ok()) return met;
  std::vector<std::uint64_t> common;
  for (const Candidate& candidate : all[0]) {
    const bool is_common = std::all_of(all.begin(), all.end(), [&](const Candidates& of_rank) {
      return std::find(of_rank.begin(), of_rank.end(), candidate) != of_rank.end();
    });
    if (candidate.is_there && is_common) common.push_back(candidate.number);
  }
  if (!common.empty()) return common;
  if (!mine[0].is_there && !why.ok()) return why;
  const auto has_none = [](const Candidates& of_rank) { return !of_rank[0].is_there; };
  if (std::all_of(all.begin(), all.end(), has_none)) {
    return absl::NotFoundError(
        absl::StrCat(path, ".*.", space.map.rank(), ": there is no checkpoint"));
  }
  const auto without = std::find_if(all.begin(), all.end(), has_none);
  if (without != all.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": rank ", without - all.begin(),
                     " has no file of a checkpoint that can be used, or it is "
                     "one of fewer ranks"));
  }
  return absl::FailedPreconditionError(
      path + ": no checkpoint is whole on all ranks; their files are of different ones");
}

absl::Status ForgetHomes(const CheckpointedSpace& space, const RestoredHomes& homes) {
  absl::Status all;
  for (const std::unique_ptr<const Allocation>& allocation : space.map.allocations()) {
    if (allocation->touched != nullptr) all.Update(homes.forget(*allocation));
  }
  return all;
}

// How a rank's file is, for all ranks to know.
enum class Found : std::uint64_t { kGood, kDamaged, kWrong };

Found FoundIn(const absl::Status& verified) {
  if (verified.ok()) return Found::kGood;
  return absl::IsDataLoss(verified) || absl::IsNotFound(verified) ? Found::kDamaged : Found::kWrong;
}

// The newest checkpoint that is good on all ranks. One that is damaged on a rank is passed over,
// one of another space is not.
absl::StatusOr<std::uint64_t> ChooseCheckpoint(const CheckpointedSpace& space,
                                               const std::string& path) {
  const auto numbers = CommonNumbers(space, path);
  if (!numbers.ok()) return numbers.status();
  absl::Status newest;  // why it is not restored
  for (const std::uint64_t number : *numbers) {
    const absl::Status mine =
        VerifyCheckpoint(CheckpointFile(path, number, space.map.rank()), HeaderOf(space.map));
    std::vector<std::uint64_t> found;
    absl::Status all = space.peers.Agree(absl::OkStatus(), kRestore,
                                         static_cast<std::uint64_t>(FoundIn(mine)), found);
    if (!all.ok()) return all;
    const auto bad = std::find_if(found.begin(), found.end(),
                                  [](std::uint64_t one) { return Found(one) != Found::kGood; });
    if (bad == found.end()) return number;
    if (newest.ok()) {
      newest = !mine.ok() ? mine
                          : absl::AbortedError(
                                absl::StrCat("rank ", bad - found.begin(), " cannot ", kRestore));
    }
    const bool is_wrong = std::any_of(
        found.begin(), found.end(), [](std::uint64_t one) { return Found(one) == Found::kWrong; });
    if (is_wrong) break;
  }
  return newest;
}

}  // namespace

absl::Status SaveCheckpoint(const CheckpointedSpace& space, const std::string& path) {
  if (absl::Status met = space.release.Barrier(Consistency::kFlush); !met.ok()) return met;
  const int rank = space.map.rank();
  const std::vector<std::uint64_t> before = CheckpointNumbers(path, rank);
  std::vector<std::uint64_t> numbers, ids;
  absl::Status agreed =
      space.peers.Agree(absl::OkStatus(), kSave, before.empty() ? 1 : before.back() + 1, numbers);
  // So that files of two checkpoints are not taken for one.
  std::random_device random;
  if (agreed.ok()) agreed = space.peers.Agree(absl::OkStatus(), kSave, random(), ids);
  if (!agreed.ok()) return agreed;
  const std::uint64_t number = *std::max_element(numbers.begin(), numbers.end());
  const std::string file = CheckpointFile(path, number, rank);
  const absl::Status mine = WriteFile(space, file, ids[0]);
  const absl::Status all = space.peers.Agree(mine, kSave);
  // Where a rank is gone, the others may have found the checkpoint whole, and removed older ones.
  if (!all.ok() && !absl::IsUnavailable(all)) (void)unlink(file.c_str());
  if (!all.ok()) return all;
  // It is whole on all ranks: only now are older ones of no use. A file that stays does no harm.
  for (const std::uint64_t older : before) {
    (void)unlink(CheckpointFile(path, older, rank).c_str());
  }
  return absl::OkStatus();
}

absl::Status RestoreCheckpoint(const CheckpointedSpace& space, const RestoredHomes& homes,
                               const std::string& path) {
  // No thread looks at what is about to change, and no changes are on their way.
  if (absl::Status met = space.release.Barrier(Consistency::kFlush); !met.ok()) return met;
  // All are good, and of one checkpoint, or none is touched.
  const auto number = ChooseCheckpoint(space, path);
  if (!number.ok()) return number.status();
  if (absl::Status all = space.peers.Agree(ForgetHomes(space, homes), kRestore); !all.ok())
    return all;
  PageRestorer restorer(space, homes.claims);
  const auto put = [&](PageNumber page, std::span<const std::byte> bytes) {
    return restorer.Put(page, bytes);
  };
  const absl::Status good =
      ReadCheckpoint(CheckpointFile(path, *number, space.map.rank()), HeaderOf(space.map), put)
          .status();
  restorer.ClearUntil(space.map.end());
  if (absl::Status all = space.peers.Agree(good, kRestore); !all.ok()) return all;
  return space.release.Barrier(Consistency::kDiscard);
}

}  // namespace dsm
