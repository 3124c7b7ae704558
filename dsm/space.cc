#include "dsm/space.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/options.h"
#include "llcl/launch/place.h"
#include "llcl/shared_memory.h"
#include "llcl/team.h"
#include "topo/discover.h"
#include "topo/mapping.h"
#include "topo/pu_set.h"

namespace dsm {
namespace {

// Bytes of the stamps behind the space, one for each page.
std::uint64_t StampBytes(const SpaceOptions& options) {
  const auto system_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t bytes = options.bytes / options.page_bytes * sizeof(Stamp);
  return (bytes + system_page - 1) / system_page * system_page;
}

}  // namespace

llcl::EndpointOptions Space::OptionsOfEndpoint() {
  llcl::EndpointOptions options;
  // The mode in which handlers of faults may ask.
  options.executor.mode = llcl::Mode::kOffload;
  options.handlers = Handlers();
  options.on_loss = [this](llcl::Rank rank) { locks_.OnLoss(ToInt(rank)); };
  options.timeout = options_.patience;
  options.executor.on_thread_start = [this] { AddCommunicationThread(); };
  return options;
}

absl::StatusOr<std::unique_ptr<Space>> Space::Join(const SpaceOptions& options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  std::unique_ptr<Space> space(new Space(options));
  absl::StatusOr<llcl::Job> job = llcl::Join(space->OptionsOfEndpoint());
  if (!job.ok()) return job.status();
  if (const absl::Status begun = space->Begin(*std::move(job)); !begun.ok()) return begun;
  return space;
}

absl::StatusOr<std::unique_ptr<Space>> Space::Make(std::unique_ptr<llcl::Conduit> conduit,
                                                   const SpaceOptions& options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  std::unique_ptr<Space> space(new Space(options));
  llcl::Job job;
  job.endpoint = std::make_unique<llcl::Endpoint>(std::move(conduit), space->OptionsOfEndpoint());
  if (const absl::Status begun = space->Begin(std::move(job)); !begun.ok()) return begun;
  return space;
}

absl::Status Space::Begin(llcl::Job job) {
  // Without a launcher its ranks may be threads of a process, each with a place of its own.
  const bool has_one_base = job.launch != nullptr;
  job_ = std::move(job);
  locks_.Begin(*job_.endpoint);
  rank_ = ToInt(job_.endpoint->rank());
  ranks_ = job_.endpoint->size();
  if (const absl::Status same = CheckSame(has_one_base); !same.ok()) return same;
  if (options_.threads > 0 && job_.launch != nullptr) {
    if (const absl::Status placed = Place(*job_.launch); !placed.ok()) return placed;
  }

  absl::StatusOr<llcl::OwnedFd> fd = llcl::NewSharedMemory(options_.bytes + StampBytes(options_));
  if (!fd.ok()) return fd.status();
  memory_fd_ = *std::move(fd);
  absl::StatusOr<Reserved> view =
      Reserved::SharedAt(options_.base, memory_fd_.get(), options_.bytes);
  if (!view.ok()) return view.status();
  view_ = *std::move(view);
  absl::StatusOr<llcl::Region> memory =
      job_.endpoint->RegisterShared(memory_fd_.get(), 0, options_.bytes + StampBytes(options_));
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);
  stamps_ = {reinterpret_cast<std::uint64_t*>(memory_.local().start + options_.bytes),
             options_.bytes / options_.page_bytes};

  const std::span<std::byte> seen(view_.data(), view_.bytes());
  absl::StatusOr<std::unique_ptr<Engine>> engine = MakeEngine(options_.engine, seen);
  if (!engine.ok()) return engine.status();
  engine_ = *std::move(engine);
  absl::StatusOr<Heat> heat = Heat::Make(stamps_.size());
  if (!heat.ok()) return heat.status();
  heat_ = *std::move(heat);
  auto home = HomePages::Make(rank_, *engine_, stamps_, options_.page_bytes, *this, heat_);
  if (!home.ok()) return home.status();
  home_ = *std::move(home);
  const std::span<std::byte> received(memory_.local().start, options_.bytes);
  if (options_.finds_races) {
    auto races = RaceFinder::Make(rank_, *engine_, received, options_.page_bytes, *this);
    if (!races.ok()) return races.status();
    races_ = *std::move(races);
  }
  auto copies = Copies::Make(
      *engine_, {memory_.local().start, options_.bytes}, options_.page_bytes, *this,
      {.most_pages = std::min(options_.cache_bytes, options_.bytes) / options_.page_bytes,
       .waiter = options_.waiter,
       .heat = &heat_});
  if (!copies.ok()) return copies.status();
  copies_ = *std::move(copies);
  allocations_.reset(new std::unique_ptr<const Allocation>[kMostAllocations]);
  acknowledged_by_.reset(new std::atomic<std::uint64_t>[static_cast<std::size_t>(ranks_)]());
  sent_to_.resize(static_cast<std::size_t>(ranks_));
  home_pages_used_.resize(static_cast<std::size_t>(ranks_));
  absl::StatusOr<llcl::Region> words = job_.endpoint->Allocate(kWordSlots * 8);
  if (!words.ok()) return words.status();
  words_ = *std::move(words);
  absl::StatusOr<llcl::Region> stamps = job_.endpoint->Allocate(kStampsAtOnce * sizeof(Stamp));
  if (!stamps.ok()) return stamps.status();
  stamps_read_ = *std::move(stamps);
  absl::StatusOr<std::unique_ptr<FaultWatch>> watch = engine_->Listen(*this);
  if (!watch.ok()) return watch.status();
  watch_ = *std::move(watch);

  auto homes = llcl::Exchange(*job_.endpoint, memory_);
  if (!homes.ok()) return homes.status();
  homes_ = *std::move(homes);
  if (options_.cache_bytes > 0) {
    room_keeper_ = std::thread([this] {
      // Where it was bound elsewhere it works as well.
      if (!placement_.communication.empty()) {
        (void)topo::SetAffinityMask(0, topo::PuSet(placement_.communication));
      }
      KeepRoom();
    });
  }
  return absl::OkStatus();
}

// All ranks have the same space, or none has one.
absl::Status Space::CheckSame(bool has_one_base) {
  const std::array<std::uint64_t, 6> mine = {options_.bytes,
                                             options_.page_bytes,
                                             has_one_base ? options_.base : 0,
                                             options_.home_bytes,
                                             options_.finds_races ? 1u : 0u,
                                             static_cast<std::uint64_t>(options_.threads)};
  std::vector<std::array<std::uint64_t, 6>> all(static_cast<std::size_t>(ranks_));
  llcl::Flag done;
  const absl::Status told = WaitFor(job_.endpoint->world().TryAllgather(
                                        std::as_bytes(std::span(mine)),
                                        std::as_writable_bytes(std::span(all)), done.completion()),
                                    done);
  if (!told.ok()) return told;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == mine) continue;
    const auto text = [](const std::array<std::uint64_t, 6>& space) {
      return absl::StrCat(
          space[0], " bytes at 0x", absl::Hex(space[2]), " in pages of ", space[1],
          space[3] == 0 ? "" : absl::StrCat(", of which ", space[3], " bytes at home on each"),
          space[4] == 0 ? "" : ", and finds races",
          space[5] == 0 ? "" : absl::StrCat(", for ", space[5], " threads"));
    };
    return absl::FailedPreconditionError(absl::StrCat("the ranks want different spaces: ", rank_,
                                                      " has ", text(mine), ", ", rank, " has ",
                                                      text(all[rank])));
  }
  return absl::OkStatus();
}

void Space::AddCommunicationThread() {
  const std::lock_guard lock(threads_mutex_);
  communication_threads_.push_back(static_cast<pid_t>(syscall(SYS_gettid)));
}

// Ranks of one machine that may run on the same PUs share these; who was bound by a launcher
// has its own.
absl::Status Space::Place(llcl::Launch& launch) {
  const auto mask = topo::ProcessMask();
  if (!mask.ok()) return mask.status();
  const auto all = launch.Allgather(llcl::ThisPlace().machine + "\n" + mask->ToString());
  if (!all.ok()) return all.status();
  const std::string& mine = (*all)[static_cast<std::size_t>(rank_)];
  const auto together = std::count(all->begin(), all->end(), mine);
  const auto before = std::count(all->begin(), all->begin() + rank_, mine);
  const auto machine = topo::ThisMachine();
  if (!machine.ok()) return machine.status();
  const auto order = topo::Plan(*machine, topo::Policy::kCompact, mask->size());
  if (!order.ok()) return order.status();
  placement_ = dsm::Place(order->slots(), static_cast<int>(before), static_cast<int>(together),
                          options_.threads);
  // They have all come: this rank could not have met the others otherwise.
  const std::lock_guard lock(threads_mutex_);
  for (const pid_t thread : communication_threads_) {
    const absl::Status bound = topo::SetAffinityMask(thread, topo::PuSet(placement_.communication));
    if (!bound.ok()) return bound;
  }
  return absl::OkStatus();
}

Space::~Space() {
  watch_.reset();
  if (job_.endpoint == nullptr) return;
  if (room_keeper_.joinable()) {
    copies_->Stop();
    room_keeper_.join();
  }
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
  if (options_.home_bytes > 0) {
    if (const absl::Status fits = TakeHomes(*distribution); !fits.ok()) return fits;
  }
  const std::uint64_t page_bytes = options_.page_bytes;
  auto allocation =
      std::make_unique<Allocation>(Allocation{first, *std::move(distribution), array});
  const PageRange all = {first, allocation->last_page()};
  allocations_[count] = std::move(allocation);
  allocation_count_.store(count + 1, std::memory_order_release);

  // Nobody's changes come to a home that does not know of the memory yet; and all have it, or
  // all say that one has not.
  const absl::Status all_opened = Agree(Open(all), "open its memory");
  if (!all_opened.ok()) return all_opened;
  return std::span(view_.data() + first * page_bytes, allocations_[count]->distribution.bytes());
}

// Pages of the allocation that was made last: piece by piece, as homes and copies alternate.
absl::Status Space::Open(PageRange all) {
  const std::uint64_t page_bytes = options_.page_bytes, first = all.first;
  const Distribution& distribution = AllocationAt(first)->distribution;
  for (std::uint64_t page = all.first; page < all.last;) {
    PageRange mine = distribution.NextPagesOf(rank_, page - first);
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
      if (races_ != nullptr) races_->Watch(mine);
    }
    page = mine.last;
  }
  return absl::OkStatus();
}

// All ranks come to the same answer.
absl::Status Space::TakeHomes(const Distribution& distribution) {
  std::vector<std::uint64_t> used = home_pages_used_;
  for (std::uint64_t page = 0; page < distribution.pages();) {
    const int home = distribution.HomeOf(page);
    const PageRange pages = distribution.NextPagesOf(home, page);
    used[static_cast<std::size_t>(home)] += pages.last - pages.first;
    page = pages.last;
  }
  const std::uint64_t most = options_.home_bytes / options_.page_bytes;
  for (std::size_t rank = 0; rank < used.size(); ++rank) {
    if (used[rank] <= most) continue;
    return absl::ResourceExhaustedError(
        absl::StrCat("rank ", rank, " has room for ", most, " pages at home (", options_.home_bytes,
                     " bytes), and ", home_pages_used_[rank], " are taken: not for ",
                     used[rank] - home_pages_used_[rank], " more"));
  }
  home_pages_used_ = std::move(used);
  return absl::OkStatus();
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
          .home = home_->counts(),
          .diff_bytes = diff_bytes_.load(),
          .diff_messages = diff_messages_.load(),
          .barriers = barriers_.load(),
          .races = races_found_.load(),
          .pages_in_cache = copies_->frames_used()};
}

}  // namespace dsm
