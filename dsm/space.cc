#include "dsm/space.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/parts.h"
#include "llcl/shared_memory.h"
#include "llcl/team.h"

namespace dsm {
namespace {

// sysexits.h's EX_TEMPFAIL.
constexpr int kPageIsGone = 75;
// What one read brings at most, so that several are under way.
constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<Space>> Space::Join(const SpaceOptions& options) {
  const auto system_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (options.page_bytes == 0 || options.page_bytes % system_page != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a page is a multiple of ", system_page, " bytes, not ", options.page_bytes));
  }
  if (options.bytes == 0 || options.bytes % options.page_bytes != 0 ||
      options.base % options.page_bytes != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a space begins and ends with a page of ", options.page_bytes, " bytes; not ",
                     options.bytes, " bytes at 0x", absl::Hex(options.base)));
  }
  std::unique_ptr<Space> space(new Space(options));
  if (const absl::Status begun = space->Begin(); !begun.ok()) return begun;
  return space;
}

absl::Status Space::Begin() {
  llcl::EndpointOptions endpoint;
  // The mode in which handlers of faults may ask.
  endpoint.executor.mode = llcl::Mode::kOffload;
  endpoint.handlers = Handlers();
  absl::StatusOr<llcl::Job> job = llcl::Join(std::move(endpoint));
  if (!job.ok()) return job.status();
  job_ = *std::move(job);
  rank_ = ToInt(job_.endpoint->rank());
  ranks_ = job_.endpoint->size();
  if (const absl::Status same = CheckSame(); !same.ok()) return same;

  absl::StatusOr<llcl::OwnedFd> fd = llcl::NewSharedMemory(options_.bytes);
  if (!fd.ok()) return fd.status();
  memory_fd_ = *std::move(fd);
  absl::StatusOr<Reserved> view =
      Reserved::SharedAt(options_.base, memory_fd_.get(), options_.bytes);
  if (!view.ok()) return view.status();
  view_ = *std::move(view);
  absl::StatusOr<llcl::Region> memory =
      job_.endpoint->RegisterShared(memory_fd_.get(), 0, options_.bytes);
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);

  const std::span<std::byte> seen(view_.data(), view_.bytes());
  absl::StatusOr<std::unique_ptr<Engine>> engine = MakeEngine(options_.engine, seen);
  if (!engine.ok()) return engine.status();
  engine_ = *std::move(engine);
  auto copies =
      Copies::Make(*engine_, {memory_.local().start, options_.bytes}, options_.page_bytes, *this);
  if (!copies.ok()) return copies.status();
  copies_ = *std::move(copies);
  allocations_.reset(new std::unique_ptr<const Allocation>[kMostAllocations]);
  diffs_from_.reset(new std::atomic<std::uint64_t>[static_cast<std::size_t>(ranks_)]());
  sent_to_.resize(static_cast<std::size_t>(ranks_));
  absl::StatusOr<llcl::Region> words = job_.endpoint->Allocate(kWordSlots * 8);
  if (!words.ok()) return words.status();
  words_ = *std::move(words);
  watch_ =
      std::make_unique<FaultWatch>(engine_->signal(), seen, static_cast<FaultListener&>(*this));

  auto homes = llcl::Exchange(*job_.endpoint, memory_);
  if (!homes.ok()) return homes.status();
  homes_ = *std::move(homes);
  return absl::OkStatus();
}

// All ranks have the same space, or none has one.
absl::Status Space::CheckSame() {
  const std::array<std::uint64_t, 3> mine = {options_.bytes, options_.page_bytes, options_.base};
  std::vector<std::array<std::uint64_t, 3>> all(static_cast<std::size_t>(ranks_));
  llcl::Flag done;
  const absl::Status told = WaitFor(job_.endpoint->world().TryAllgather(
                                        std::as_bytes(std::span(mine)),
                                        std::as_writable_bytes(std::span(all)), done.completion()),
                                    done);
  if (!told.ok()) return told;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == mine) continue;
    const auto text = [](const std::array<std::uint64_t, 3>& space) {
      return absl::StrCat(space[0], " bytes at 0x", absl::Hex(space[2]), " in pages of ", space[1]);
    };
    return absl::FailedPreconditionError(absl::StrCat("the ranks want different spaces: ", rank_,
                                                      " has ", text(mine), ", ", rank, " has ",
                                                      text(all[rank])));
  }
  return absl::OkStatus();
}

Space::~Space() {
  watch_.reset();
  if (job_.endpoint == nullptr) return;
  // Nobody's memory goes while others may fetch from it.
  llcl::Flag done;
  (void)WaitFor(job_.endpoint->world().TryBarrier(done.completion()), done);
}

absl::StatusOr<std::span<std::byte>> Space::Allocate(const ArrayShape& array,
                                                     const Mapping& mapping) {
  auto distribution =
      Distribution::Make(array, mapping, {.page_bytes = options_.page_bytes, .ranks = ranks_});
  if (!distribution.ok()) return distribution.status();
  const std::size_t count = allocation_count_.load(std::memory_order_relaxed);
  const std::uint64_t first = count == 0 ? 0 : allocations_[count - 1]->last_page();
  const std::uint64_t left = options_.bytes / options_.page_bytes - first;
  if (count == kMostAllocations || distribution->pages() > left) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the space of ", options_.bytes, " bytes has ", left, " pages left, not ",
                     distribution->pages(), " (or ", kMostAllocations, " allocations)"));
  }
  const std::uint64_t page_bytes = options_.page_bytes;
  auto allocation = std::make_unique<Allocation>(Allocation{first, *std::move(distribution)});
  const PageRange all = {first, allocation->last_page()};
  allocations_[count] = std::move(allocation);
  allocation_count_.store(count + 1, std::memory_order_release);

  // Piece by piece, as homes and copies alternate.
  for (std::uint64_t page = all.first; page < all.last;) {
    PageRange mine = allocations_[count]->distribution.NextPagesOf(rank_, page - first);
    mine = mine.empty() ? PageRange{all.last, all.last}
                        : PageRange{mine.first + first, mine.last + first};
    if (mine.first > page) {
      const absl::Status opened =
          engine_->OpenCopies(page * page_bytes, (mine.first - page) * page_bytes);
      if (!opened.ok()) return opened;
    }
    if (!mine.empty()) {
      const absl::Status opened =
          engine_->OpenHome(mine.first * page_bytes, (mine.last - mine.first) * page_bytes);
      if (!opened.ok()) return opened;
    }
    page = mine.last;
  }
  // Nobody's changes come to a home that does not know of the memory yet.
  if (const absl::Status met = Barrier(Consistency::kKeep); !met.ok()) return met;
  return std::span(view_.data() + first * page_bytes, allocations_[count]->distribution.bytes());
}

const Space::Allocation* Space::AllocationAt(std::uint64_t page) const {
  const auto* const begin = allocations_.get();
  const auto* const end = begin + allocation_count_.load(std::memory_order_acquire);
  const auto* const next = std::upper_bound(
      begin, end, page, [](std::uint64_t wanted, const std::unique_ptr<const Allocation>& one) {
        return wanted < one->first_page;
      });
  if (next == begin) return nullptr;
  const Allocation* const found = (next - 1)->get();
  return page < found->last_page() ? found : nullptr;
}

int Space::HomeOfPage(std::uint64_t page) const {
  const Allocation& allocation = *AllocationAt(page);
  return allocation.distribution.HomeOf(page - allocation.first_page);
}

const Distribution& Space::DistributionOf(const void* at) const {
  return AllocationAt(PageAt(at))->distribution;
}
int Space::HomeOf(const void* at) const { return HomeOfPage(PageAt(at)); }

bool Space::OnFault(std::uint64_t offset, bool writes) {
  const std::uint64_t page = offset / options_.page_bytes;
  if (AllocationAt(page) == nullptr || HomeOfPage(page) == rank_) return false;
  copies_->OnFault(page, writes);
  return true;
}

// In signal handlers, too: no allocation.
void Space::Fetch(PageRange pages) {
  const int home = HomeOfPage(pages.first);
  const std::uint64_t end = pages.last * options_.page_bytes;
  llcl::Counter done;
  std::uint64_t posted = 0;
  for (std::uint64_t at = pages.first * options_.page_bytes; at < end; at += kReadBytes) {
    const llcl::ReadParams read = {.from = {homes_[static_cast<std::size_t>(home)], at},
                                   .to = {memory_.local(), at},
                                   .bytes = std::min(kReadBytes, end - at),
                                   .then = done.completion()};
    while (true) {
      const llcl::Posted result = job_.endpoint->TryRead(read);
      if (result == llcl::Posted::kPosted) break;
      if (result != llcl::Posted::kFull && result != llcl::Posted::kNoTag) {
        End(pages, "its home is gone");
      }
      // What is under way makes room, ours or others'.
      const std::uint64_t ended = done.ended();
      if (ended < posted) {
        done.SleepUntilDone(ended + 1);
      } else {
        sched_yield();
      }
    }
    ++posted;
  }
  done.SleepUntilDone(posted);
  if (done.failed() > 0) End(pages, "its home is gone, or did not answer");
}

void Space::OnRefused(const char* what, PageRange pages) {
  char text[200];
  std::snprintf(text, sizeof text, "the system does not let us %s it: error %d%s", what, errno,
                errno == ENOMEM ? " (ENOMEM: raise vm.max_map_count, or use larger pages)" : "");
  End(pages, text);
}

// In signal handlers, too: no allocation.
void Space::End(PageRange pages, const char* why) const {
  char text[400];
  const int length =
      std::snprintf(text, sizeof text, "dsm: rank %d: page %llu at %p, of rank %d: %s\n", rank_,
                    static_cast<unsigned long long>(pages.first),
                    static_cast<const void*>(view_.data() + pages.first * options_.page_bytes),
                    HomeOfPage(pages.first), why);
  (void)!write(STDERR_FILENO, text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
  _exit(kPageIsGone);
}

template <typename F>
void Space::ForEachForeign(PageRange pages, F f) const {
  for (std::uint64_t page = pages.first; page < pages.last;) {
    const int home = HomeOfPage(page);
    const Allocation& allocation = *AllocationAt(page);
    const PageRange same = allocation.distribution.NextPagesOf(home, page - allocation.first_page);
    const std::uint64_t last = std::min(pages.last, same.last + allocation.first_page);
    if (home != rank_) f(PageRange{page, last});
    page = last;
  }
}

absl::Status Space::Preload(std::span<const std::byte> memory, Access access) {
  if (memory.empty()) return absl::OkStatus();
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto refuse = [&] {
    return absl::OutOfRangeError(absl::StrCat("the ", memory.size(), " bytes at 0x", absl::Hex(at),
                                              " are not all allocated in the space"));
  };
  if (at < options_.base || memory.size() > options_.bytes ||
      at - options_.base > options_.bytes - memory.size()) {
    return refuse();
  }
  const PageRange pages = {PageAt(memory.data()), PageAt(&memory.back()) + 1};
  // Allocations lie without gaps.
  if (AllocationAt(pages.last - 1) == nullptr) return refuse();
  ForEachForeign(pages,
                 [&](PageRange of_one) { copies_->Preload(of_one, access == Access::kWrite); });
  return absl::OkStatus();
}

absl::Status Space::PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                                 Access access) {
  const auto ranges = BytesOfPart(shape, part, options_.page_bytes);
  if (!ranges.ok()) return ranges.status();
  const auto* const first = static_cast<const std::byte*>(array);
  for (const ByteRange& range : *ranges) {
    const absl::Status loaded = Preload({first + range.first, range.last - range.first}, access);
    if (!loaded.ok()) return loaded;
  }
  return absl::OkStatus();
}

Space::WordSlot::WordSlot(Space& space) : space_(space), slot_(space.free_words_.TryTake()) {
  while (slot_ == llcl::kNoTag) {
    space_.job_.endpoint->TryAdvance();
    slot_ = space_.free_words_.TryTake();
  }
}
Space::WordSlot::~WordSlot() {
  if (slot_is_free_) space_.free_words_.Free(slot_);
}

SpaceCounts Space::counts() const {
  return {.copies = copies_->counts(),
          .diff_bytes = diff_bytes_.load(),
          .diff_messages = diff_messages_.load(),
          .barriers = barriers_.load()};
}

}  // namespace dsm
