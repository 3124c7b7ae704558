#include "dsm/space.h"

#include <algorithm>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/checkpoint/checkpoint.h"
#include "dsm/options.h"
#include "dsm/release/change_receiver.h"
#include "dsm/release/message_kinds.h"
#include "dsm/shared_options.h"
#include "dsm/threads/never_waits.h"

namespace dsm {

Space::Space(const SpaceOptions& options)
    : options_(options), locks_({.to_home = kToLockHome, .to_waiter = kToLockWaiter}) {}

llcl::HandlerId Space::HandlerOf(std::size_t index) {
  return llcl::HandlerId{
      static_cast<std::uint16_t>(kOwnHandlers + std::min(index, kMostHandlers - 1))};
}

llcl::EndpointOptions Space::OptionsOfEndpoint() {
  llcl::EndpointOptions options;
  // The mode in which handlers of faults may ask.
  options.executor.mode = llcl::Mode::kOffload;
  options.handlers = Handlers();
  options.on_loss = [this](llcl::Rank rank) { locks_.OnGone(ToInt(rank)); };
  options.on_leave = options.on_loss;
  options.timeout = options_.patience;
  options.executor.on_thread_start = [this] {
    threads_.AddThisThread();
    never_waits::FromHereOn();
  };
  return options;
}

// By their ids (message_kinds.h), and behind them the program's. No rank sends changes, or the
// program's messages, before all have their parts.
std::vector<llcl::Handler> Space::Handlers() {
  const auto acknowledged = [](auto handle) {
    return [handle](llcl::Message& message) {
      if (handle(message)) (void)message.Reply(kAcknowledgment, {});
    };
  };
  const auto apply = [this](ChangeOrder order) {
    return [this, order](llcl::Message& message) {
      return ChangeReceiver(*map_, *home_)
          .TryApply(ToInt(message.from()), order, message.payload());
    };
  };
  std::vector<llcl::Handler> handlers = {
      acknowledged(apply(ChangeOrder::kUnordered)),
      acknowledged(apply(ChangeOrder::kLocked)),
      [this](llcl::Message& message) {
        release_->sender().OnAcknowledgment(ToInt(message.from()));
      },
      acknowledged([this](llcl::Message& message) {
        return ChangeReceiver(*map_, *home_).TryAddHeld(message.payload());
      }),
      [this](llcl::Message& message) {
        locks_.OnMessageToHome(ToInt(message.from()), message.payload());
      },
      [this](llcl::Message& message) { locks_.OnMessageToWaiter(message.payload()); }};
  for (const llcl::Handler& handler : options_.handlers) {
    handlers.push_back([this, &handler](llcl::Message& message) {
      if (!gate_.TryEnter()) return;
      {
        const never_waits::Scope scope;
        handler(message);
      }
      gate_.Leave();
    });
  }
  return handlers;
}

template <typename JoinJob>
absl::StatusOr<std::unique_ptr<Space>> Space::JoinWith(const SpaceOptions& options, JoinJob join) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  try {
    std::unique_ptr<Space> space(new Space(options));
    absl::StatusOr<llcl::Job> job = join(space->OptionsOfEndpoint());
    if (!job.ok()) return job.status();
    if (const absl::Status begun = space->Begin(*std::move(job)); !begun.ok()) return begun;
    return space;
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory to join (ulimit -v, or a container's limit)");
  }
}

absl::StatusOr<std::unique_ptr<Space>> Space::Join(const SpaceOptions& options) {
  return JoinWith(options,
                  [](llcl::EndpointOptions endpoint) { return llcl::Join(std::move(endpoint)); });
}

absl::StatusOr<std::unique_ptr<Space>> Space::JoinBy(std::unique_ptr<llcl::Launch> launch,
                                                     const SpaceOptions& options) {
  return JoinWith(options, [&](llcl::EndpointOptions endpoint) {
    return llcl::JoinBy(std::move(launch), std::move(endpoint));
  });
}

absl::StatusOr<std::unique_ptr<Space>> Space::Make(std::unique_ptr<llcl::Conduit> conduit,
                                                   const SpaceOptions& options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  std::unique_ptr<Space> space(new Space(options));
  llcl::Job job;
  auto endpoint = llcl::Endpoint::Make(std::move(conduit), space->OptionsOfEndpoint());
  if (!endpoint.ok()) return endpoint.status();
  job.endpoint = *std::move(endpoint);
  if (const absl::Status begun = space->Begin(std::move(job)); !begun.ok()) return begun;
  return space;
}

absl::Status Space::Begin(llcl::Job job) {
  job_ = std::move(job);
  std::vector<llcl::Rank> all;
  for (int rank = 0; rank < job_.endpoint->size(); ++rank) all.push_back(llcl::Rank{rank});
  team_ = std::make_unique<llcl::Team>(job_.endpoint->world(), std::move(all));
  peers_ = std::make_unique<const Peers>(*job_.endpoint, *team_, Waiter(options_.waiter));
  locks_.Begin(*peers_);
  // Without a launcher its ranks may be threads of a process, each with a place of its own.
  const std::uintptr_t base = job_.launch != nullptr ? options_.base : 0;
  std::vector<SharedOptions> options(static_cast<std::size_t>(peers_->size()));
  absl::Status same = peers_->Allgather(SharedOptionsOf(options_, base), std::span(options));
  if (same.ok()) same = CheckSame(options, peers_->rank());
  if (!same.ok()) return same;
  if (options_.threads > 0 && job_.launch != nullptr) {
    const absl::Status all_placed =
        peers_->Agree(threads_.Place(*job_.launch, peers_->rank(), options_.threads),
                      "bind the threads that communicate");
    if (!all_placed.ok()) return all_placed;
  }
  // No rank waits for the memory of a rank that has none.
  const absl::Status all_begun = peers_->Agree(BeginParts(), "make its part of the space");
  if (!all_begun.ok()) return all_begun;
  return memory_->MeetOthers(*job_.endpoint);
}

absl::Status Space::BeginParts() {
  const PageSize page_size(options_.page_bytes);
  const Waiter waiter(options_.waiter);
  auto memory = SpaceMemory::Make(*job_.endpoint, {.base = options_.base,
                                                   .bytes = options_.bytes,
                                                   .page_size = page_size,
                                                   .engine = options_.engine,
                                                   .dumps = options_.dumps});
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);
  if (options_.cache_bytes > 0) {
    if (absl::Status gives = memory_->CheckGivesBack(); !gives.ok()) return gives;
  }
  const PageMemory received = memory_->received();
  auto touched = PageArray<FirstTouchPage>::Make(received.pages());
  if (!touched.ok()) return touched.status();
  touched_ = *std::move(touched);
  const bool has_first_touch = !options_.finds_races && options_.home_bytes == 0;
  map_ = std::make_unique<AddressMap>(memory_->view(), page_size, peers_->rank(), peers_->size(),
                                      options_.home_bytes,
                                      has_first_touch ? &touched_[PageNumber(0)] : nullptr);
  absl::StatusOr<Heat> heat = Heat::Make(received.pages());
  if (!heat.ok()) return heat.status();
  heat_ = *std::move(heat);
  fetcher_ = std::make_unique<PageFetcher>(*job_.endpoint, *map_, *memory_, waiter);

  const PageMapper mapper(memory_->engine(), page_size, *fetcher_);
  std::unique_ptr<RaceFinder> races;
  if (options_.finds_races) {
    auto made = RaceFinder::Make(rank(), mapper, received);
    if (!made.ok()) return made.status();
    races = *std::move(made);
  }
  auto home =
      HomePages::Make(rank(), mapper, received, memory_->versions(), heat_, std::move(races));
  if (!home.ok()) return home.status();
  home_ = *std::move(home);
  claims_ = std::make_unique<HomeClaims>(*peers_, *map_, *memory_, *home_, touched_, waiter);
  const std::uint64_t cache_bytes = std::min(options_.cache_bytes, options_.bytes);
  auto copies = Copies::Make(memory_->engine(), received, *fetcher_,
                             {.most_pages = page_size.WholePagesIn(cache_bytes),
                              .waiter = options_.waiter,
                              .readahead = PageCount(options_.readahead_pages),
                              .heat = &heat_});
  if (!copies.ok()) return copies.status();
  copies_ = *std::move(copies);

  auto release =
      ReleaseProtocol::Make({*peers_, *map_, *memory_, *copies_, *home_}, options_.patience);
  if (!release.ok()) return release.status();
  release_ = *std::move(release);
  auto atomics = RemoteAtomics::Make(*peers_, *map_, *memory_, *claims_);
  if (!atomics.ok()) return atomics.status();
  atomics_ = *std::move(atomics);
  auto faults = FaultDispatcher::Make(memory_->engine(), *map_, *copies_, *home_, *claims_,
                                      *fetcher_, waiter);
  if (!faults.ok()) return faults.status();
  faults_ = *std::move(faults);
  if (options_.cache_bytes == 0) return absl::OkStatus();
  try {
    evictor_ = std::make_unique<Evictor>(rank(), *copies_, *release_, placement());
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no thread that evicts pages (see ulimit -u): ", error.what()));
  }
  return absl::OkStatus();
}

Space::~Space() {
  gate_.Close();
  faults_.reset();
  if (job_.endpoint == nullptr) return;
  evictor_.reset();
  // No rank's memory goes while others may fetch from it.
  (void)peers_->Meet();
}

namespace {

// A number that stands for where an allocation lies and how it is dealt to ranks (FNV-1a).
std::uint64_t NumberFor(const Allocation& allocation, int ranks) {
  std::uint64_t number = 0xCBF29CE484222325u;
  const auto add = [&](std::uint64_t one) { number = (number ^ one) * 0x100000001B3u; };
  add(allocation.first_page.value());
  add(allocation.distribution.bytes());
  add(allocation.touched != nullptr ? 1 : 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const PageRange& range : allocation.distribution.PagesOf(rank)) {
      add(range.first.value());
      add(range.last.value());
    }
  }
  return number >> 1;  // ~0 is no number: Peers::Agree.
}

}  // namespace

absl::StatusOr<std::span<std::byte>> Space::Allocate(const ArrayShape& array,
                                                     const Mapping& mapping) {
  never_waits::RequireNot("Space::Allocate");
  const absl::StatusOr<const Allocation*> allocation = map_->Add(array, mapping);
  // No rank's changes come to a home that does not know of the memory yet; and all have the same,
  // or all say that one has not.
  const absl::Status opened = allocation.ok() ? Open(**allocation) : allocation.status();
  const std::uint64_t number = opened.ok() ? NumberFor(**allocation, ranks()) : 0;
  std::vector<std::uint64_t> numbers;
  const absl::Status all_opened = peers_->Agree(opened, "open its memory", number, numbers);
  if (!all_opened.ok()) return all_opened;
  const auto other = std::find_if(numbers.begin(), numbers.end(),
                                  [&](std::uint64_t of_rank) { return of_rank != numbers[0]; });
  if (other != numbers.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("rank ", other - numbers.begin(),
                     " has allocated another size than rank 0, or by another mapping"));
  }
  return std::span(map_->AddressOf((*allocation)->first_page), (*allocation)->distribution.bytes());
}

// Piece by piece, as homes and copies alternate.
absl::Status Space::Open(const Allocation& allocation) {
  const PageSize size = map_->page_size();
  const PageRange all = allocation.pages();
  if (allocation.touched != nullptr) {
    return memory_->engine().OpenCopies(size.OffsetOf(all.first), size.BytesOf(all.count()));
  }
  for (PageNumber page = all.first; page < all.last;) {
    const PageRange mine = allocation.NextPagesOf(rank(), page);
    if (const PageRange others = {page, mine.first}; !others.empty()) {
      const absl::Status opened =
          memory_->engine().OpenCopies(size.OffsetOf(others.first), size.BytesOf(others.count()));
      if (!opened.ok()) return opened;
    }
    if (!mine.empty()) {
      const absl::Status opened =
          memory_->engine().OpenHome(size.OffsetOf(mine.first), size.BytesOf(mine.count()));
      if (!opened.ok()) return opened;
      home_->Add(mine);
    }
    page = mine.last;
  }
  return absl::OkStatus();
}

absl::Status Space::Free(std::span<const std::byte> memory) {
  never_waits::RequireNot("Space::Free");
  const auto allocation = map_->Find(memory);
  if (!allocation.ok()) return allocation.status();
  if (absl::Status met = Barrier(Consistency::kFlush); !met.ok()) return met;
  // No rank has it opened anew while another has not closed it.
  const absl::Status all_closed = peers_->Agree(Close(**allocation), "close its memory");
  if (all_closed.ok()) map_->Remove(**allocation);
  return all_closed;
}

// This rank's copies go. All ranks call it after a flush barrier.
absl::Status Space::Drop(const Allocation& allocation) {
  const PageRange all = allocation.pages();
  const absl::Status dropped =
      Acquire({map_->AddressOf(all.first), allocation.distribution.bytes()});
  if (dropped.ok() && evictor_ != nullptr) evictor_->FreeFramesOf(all);
  return dropped;
}

absl::Status Space::Close(const Allocation& allocation) {
  const PageRange all = allocation.pages();
  const PageSize size = map_->page_size();
  if (absl::Status dropped = Drop(allocation); !dropped.ok()) return dropped;
  if (allocation.touched != nullptr) claims_->Forget(allocation);
  const absl::Status closed =
      memory_->engine().Close(size.OffsetOf(all.first), size.BytesOf(all.count()));
  if (!closed.ok()) return closed;
  if (allocation.touched == nullptr) {
    for (const PageRange& mine : allocation.PagesOf(rank())) home_->Remove(mine);
  }
  heat_.Clear(all);
  return memory_->GiveBack(all);
}

absl::Status Space::Barrier(Consistency consistency) {
  never_waits::RequireNot("Space::Barrier");
  return release_->Barrier(consistency);
}

absl::Status Space::Acquire(std::span<const std::byte> memory) {
  never_waits::RequireNot("Space::Acquire");
  return release_->Acquire(memory);
}

absl::Status Space::Release(std::span<const std::byte> memory) {
  never_waits::RequireNot("Space::Release");
  return release_->Release(memory);
}

Preloader Space::preloader() {
  never_waits::RequireNot("Space::Preload, or a member like it");
  return {*map_, *copies_, *home_, *claims_, {options_.cache_bytes, options_.finds_races}};
}

bool Space::IsResident(std::span<const std::byte> memory) const {
  const absl::StatusOr<PageRange> pages = map_->PagesOf(memory);
  if (!pages.ok()) return false;
  bool is_here = true;
  map_->ForEachForeignRun(*pages, [&](int, PageRange run) {
    for (const PageNumber page : run) is_here = is_here && copies_->IsHere(page);
  });
  return is_here;
}

absl::Status Space::Save(const std::string& path) {
  never_waits::RequireNot("Space::Save");
  return SaveCheckpoint({*map_, *memory_, *peers_, *release_}, path);
}
absl::Status Space::Restore(const std::string& path) {
  never_waits::RequireNot("Space::Restore");
  const auto forget = [this](const Allocation& allocation) {
    const absl::Status dropped = Drop(allocation);
    if (dropped.ok()) claims_->Forget(allocation);
    return dropped;
  };
  return RestoreCheckpoint({*map_, *memory_, *peers_, *release_}, {*claims_, forget}, path);
}

SpaceCounts Space::counts() const {
  return {.copies = copies_->counts(),
          .home = home_->counts(),
          .diff_bytes = release_->sender().diff_bytes(),
          .diff_messages = release_->sender().diff_messages(),
          .barriers = release_->barriers(),
          .races = release_->races(),
          .pages_in_cache = copies_->frames().used().value()};
}

}  // namespace dsm
