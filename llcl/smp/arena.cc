#include "llcl/smp/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "llcl/region/mapped_regions.h"
#include "llcl/smp/mapper.h"
#include "llcl/system/clock.h"

namespace llcl {
namespace {

constexpr std::uint64_t kFirstChunk = std::uint64_t{4} << 20, kMostAmple = std::uint64_t{64} << 30;
// More than an address space has.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << (MappedRegions::kOffsetBits - 1);
// Where the system offers no barrier, time makes it: a processor's stores are seen by others in
// some microseconds, and at the latest when it is interrupted, as by each tick of its clock.
constexpr std::int64_t kBarrierMs = 100;
constexpr std::size_t kRetiredPerLook = 64;
constexpr std::uint64_t kLeastOutOfCores = std::uint64_t{1} << 20;

std::uint64_t PagesOf(std::uint64_t bytes) {
  static const auto page = static_cast<std::uint64_t>(getpagesize());
  return (bytes + page - 1) / page * page;
}

bool HasScarceAddresses() {
  rlimit limit = {};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

absl::StatusOr<SmpArena::Taken> SmpArena::Take(std::uint64_t bytes) {
  const std::uint64_t pages = bytes < kMostBytes ? PagesOf(bytes) : bytes;
  if (retired_.size() > most_retired_) FreeRetired();
  std::optional<topo::AddressRange> range = free_.TryTake(pages);
  if (!range && !retired_.empty()) {
    FreeRetired();
    range = free_.TryTake(pages);
  }
  if (!range) {
    if (absl::Status grown = Grow(pages); !grown.ok()) return grown;
    range = free_.TryTake(pages);
  }
  std::byte* const memory = MemoryAt(range->begin);
  (void)madvise(memory, range->bytes(), MADV_DODUMP);
  return Taken{*range, memory};
}

// A chunk has as much as all chunks before it, so that there are few. Where addresses are scarce it
// has as much as is asked for: all ranks map it.
absl::Status SmpArena::Grow(std::uint64_t bytes) {
  const std::uint64_t ample =
      HasScarceAddresses() ? bytes : std::max({bytes, kFirstChunk, std::min(bytes_, kMostAmple)});
  if (ample > bytes && AddChunk(ample).ok()) return absl::OkStatus();
  return AddChunk(bytes);
}

absl::Status SmpArena::AddChunk(std::uint64_t bytes) {
  if (chunks_.size() == MappedRegions::kChunks) {
    return absl::ResourceExhaustedError("too many chunks of shared memory");
  }
  absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), bytes);
  if (!memory.ok()) return memory.status();
  memory->KeepOutOfCores();
  const std::uint64_t number = chunks_.size();
  const std::uint64_t start = MappedRegions::StartOf(number);
  door_.Offer(SmpMapper::NumberOfChunk(number), fd->get());
  chunks_.push_back({*std::move(fd), *std::move(memory)});
  bytes_ += bytes;
  free_.Give({start, start + bytes});
  return absl::OkStatus();
}

void SmpArena::Retire(topo::AddressRange range, std::uint64_t key) {
  MakeHole(range);
  // A core has no holes: the system takes memory for them. Small ones are not worth a mapping each.
  if (range.bytes() >= kLeastOutOfCores) {
    (void)madvise(MemoryAt(range.begin), range.bytes(), MADV_DONTDUMP);
  }
  retired_.push_back({range, key, NowMs()});
}

void SmpArena::FreeRetired() {
  // A range that was retired before this barrier is changed only by threads whose marks are seen
  // now.
  const bool has_barrier = barrier_();
  const std::int64_t seen_ms = NowMs() - kBarrierMs;
  const std::vector<std::uint64_t> marked = marked_();
  const auto first_free =
      std::partition(retired_.begin(), retired_.end(), [&](const Retired& retired) {
        return (!has_barrier && retired.since_ms > seen_ms) ||
               std::find(marked.begin(), marked.end(), retired.key) != marked.end();
      });
  for (auto retired = first_free; retired != retired_.end(); ++retired) {
    MakeHole(retired->range);  // Once more: a thread may have written since.
    free_.Give(retired->range);
  }
  retired_.erase(first_free, retired_.end());
  most_retired_ = 2 * retired_.size() + kRetiredPerLook;
}

// Zeros that take no memory, if the system allows that.
void SmpArena::MakeHole(topo::AddressRange range) {
  const std::uint64_t number = MappedRegions::ChunkOf(range.begin);
  const auto offset = static_cast<off_t>(range.begin - MappedRegions::StartOf(number));
  if (fallocate(chunks_[number].fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                static_cast<off_t>(range.bytes())) != 0) {
    std::memset(MemoryAt(range.begin), 0, range.bytes());
  }
}

std::byte* SmpArena::MemoryAt(std::uint64_t address) const {
  const std::uint64_t number = MappedRegions::ChunkOf(address);
  return chunks_[number].memory.data() + (address - MappedRegions::StartOf(number));
}

}  // namespace llcl
