// One address space over the processes of a job: memory at the same address on all ranks,
// which any thread of any rank reads and writes by plain loads and stores.
//
//   auto space = dsm::Space::Join();                       // all ranks
//   auto array = (*space)->Allocate({{N}, sizeof(double)}, dsm::Block{.count = ranks});
//   ... plain accesses ...
//   (*space)->Barrier(dsm::Consistency::kFlush);
//
// Each page has a home, a rank where it is always up to date; other ranks have copies, that
// come when they are touched. A rank sees what others wrote before the last barrier that
// both took part in (weak consistency). Between barriers a program has no data races: what
// one rank writes no other reads or writes; two may write different bytes of a page. Or
// they hold a lock (mutex.h).
//
// Threads: any, all members; Allocate and Barrier by one of a rank at a time, by all ranks in
//   the same order. While a rank is in a barrier its other threads may use memory that the
//   barrier is not about. System calls and libraries must not be given pages that may be
//   absent, or are at home and are to be written: MakeResident. Handlers of signals that come from
//   outside must not touch the space.
// Errors: where a page cannot be had, as its home is gone, the process ends with exit code
//   75 and a sentence: no access can report it.
//
// Source: [Mid18] section 2.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/faults.h"
#include "dsm/home/home.h"
#include "dsm/home/races.h"
#include "dsm/home/stamp.h"
#include "dsm/layout/distribution.h"
#include "dsm/layout/placement.h"
#include "dsm/lock/locks.h"
#include "dsm/report/heat.h"
#include "llcl/executor/tags.h"
#include "llcl/job.h"
#include "llcl/owned_fd.h"
#include "topo/atomic.h"

namespace dsm {

// A value; the same on all ranks but for engine, cache_bytes and waiter.
struct SpaceOptions {
  std::uint64_t bytes = std::uint64_t{1} << 36;  // of address space; memory only where used
  std::uint64_t page_bytes = 4096;               // a multiple of the system's
  std::uintptr_t base = 0x2000'0000'0000;        // where it begins
  EngineKind engine = EngineKind::kAutomatic;
  // Of memory for copies of others' pages, 2 pages at least; zero: as many as are touched. When
  // it is full those go that came first. An instruction that needs more pages at once than
  // other threads leave it never ends.
  std::uint64_t cache_bytes = 0;
  // Of memory for pages that are at home on a rank; zero: no bound.
  std::uint64_t home_bytes = 0;
  // Called by a thread that waits for a page, before it sleeps: a user-level scheduler's switch
  // (lwt::Yield), so that others run meanwhile. True: some did, and whether the page is there is
  // to be seen again; false: there is nobody to run, as always in threads that are not of that
  // scheduler. In the handler of the fault, on the stack that it happened on; it may return on
  // another OS thread. Not with EngineKind::kServer. A scheduler that handles SIGSEGV or SIGBUS
  // itself does so before there is a space (lwt: from the first Pool on).
  bool (*waiter)() = nullptr;
  // How many threads the program runs on each rank: then who communicates is bound to PUs that
  // they leave free (placement.h), and placement() says where they are best bound, so that
  // pages at home are touched first near who uses them. Zero: nobody is bound. The same on all
  // ranks.
  int threads = 0;
  // How long a rank may take to come to a barrier, or a home to answer, until that is an error.
  // That a rank is gone is known much sooner.
  std::chrono::milliseconds patience = std::chrono::minutes(10);
  // Finds bytes that two ranks have written between the same flushes, and says so on standard
  // error; costs a fault and a twin for each page that is written at home. The same on all ranks.
  bool finds_races = false;
};

// What a barrier does, besides waiting for all ranks.
enum class Consistency {
  kFlush,    // changes go to their homes, and copies are dropped that others have changed
  kDiscard,  // all copies are dropped, and what was written to them is lost (sms_sync_drop)
  kKeep,     // nothing: copies stay as they are (sms_sync)
};

// A value; counted since the beginning, on this rank.
struct SpaceCounts {
  CopyCounts copies;
  HomeCounts home;
  std::uint64_t diff_bytes = 0;     // sent
  std::uint64_t diff_messages = 0;  // sent
  std::uint64_t barriers = 0;
  std::uint64_t races = 0;           // found at home here
  std::uint64_t pages_in_cache = 0;  // now, those that are dropped too; where it is bounded
};

class CheckpointWriter;
struct CheckpointHeader;
class Space;

// What is on its way. A value; the space outlives it.
class Arrival {
 public:
  Arrival(Space& space, std::span<const std::byte> memory, Access access)
      : space_(&space), memory_(memory), access_(access) {}

  // Is nothing of it on its way any more? What found no room when it was asked for comes when
  // it is touched.
  bool IsThere();
  // Returns when all is there, as after Space::Preload.
  absl::Status Wait();

 private:
  Space* space_;
  std::span<const std::byte> memory_;
  Access access_;
};

// A value: a page, and what happened to it on this rank.
struct HotPage {
  std::byte* at = nullptr;
  int home = 0;
  PageHeat heat;
};

// A resource.
class Space final : private PageSource, private FaultListener {
 public:
  // All ranks of the job call it (llcl's Join). Errors: those of Join; InvalidArgument for
  // sizes that do not fit; FailedPrecondition where ranks have other options, with both, or
  // where something is at the base; Unavailable for an engine that the system lacks.
  static absl::StatusOr<std::unique_ptr<Space>> Join(const SpaceOptions& options = {});
  // The same over a conduit of any kind, as that of a simulated network whose ranks are
  // threads of one process: the base may then be another on each rank, and pointers are good
  // on one.
  static absl::StatusOr<std::unique_ptr<Space>> Make(std::unique_ptr<llcl::Conduit> conduit,
                                                     const SpaceOptions& options = {});
  // All ranks call it, after a barrier.
  ~Space() override;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  // Is the rank known to be gone?
  bool IsGone(int rank) const { return job_.endpoint->IsDown(llcl::Rank{rank}); }
  const SpaceOptions& options() const { return options_; }
  EngineKind engine() const { return engine_->kind(); }
  const Placement& placement() const { return placement_; }

  // New memory, zeros, at the beginning of a page: the same on all ranks, which all call it.
  // Errors: those of Distribution::Make; ResourceExhausted where the space is full; those of
  // Barrier.
  absl::StatusOr<std::span<std::byte>> Allocate(const ArrayShape& array, const Mapping& mapping);
  // Of what Allocate returned; `at` lies in it. Precondition: it was allocated.
  const Distribution& DistributionOf(const void* at) const;
  int HomeOf(const void* at) const;

  // Errors: Unavailable where a rank is gone, or does not come in time.
  absl::Status Barrier(Consistency consistency);

  // Brings what is absent, neighboring pages together; with kOverwrite only what shares a page
  // with other memory, the rest has any value until it is written, and counts as written.
  // Errors: OutOfRange for what was not allocated; ResourceExhausted for more than the cache.
  absl::Status Preload(std::span<const std::byte> memory, Access access = Access::kRead);
  // The same for a part of an array that begins at `array`, in C's order: rows that share
  // pages or follow each other come together. Errors: also InvalidArgument for a part that
  // is not in the array.
  absl::Status PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                            Access access = Access::kRead);
  // The same while the caller goes on: who touches a page before it is there waits for it.
  // Errors: OutOfRange; InvalidArgument with kOverwrite.
  absl::StatusOr<Arrival> StartPreload(std::span<const std::byte> memory,
                                       Access access = Access::kRead);
  // As Preload, for memory that is given to system calls or libraries until the next barrier
  // or lock: it stays, and what is at home may be written to though others hold it. Errors: also
  // ResourceExhausted for more than half of the cache.
  absl::Status MakeResident(std::span<const std::byte> memory, Access access);

  // Between barriers, for who holds a lock (mutex.h): what others released before is seen
  // from here on, and what was written is at home when it returns; of this memory, or, where it
  // is empty, of all. By any thread. Errors: as Barrier; OutOfRange for what was not allocated.
  absl::Status Acquire(std::span<const std::byte> memory = {});
  absl::Status Release(std::span<const std::byte> memory = {});
  // OutOfRange where not all of it was allocated.
  absl::Status CheckAllocated(std::span<const std::byte> memory) const {
    return PagesOf(memory).status();
  }
  Locks& locks() { return locks_; }  // for Mutex

  // At the home, whoever has copies: op(word, operand), or a compare-and-swap; returns what was
  // there before. `word` lies in the space, aligned. Copies do not change: words that are
  // used so are not read otherwise. Errors: as Barrier.
  template <llcl::AtomicWord T>
  absl::StatusOr<T> Atomic(T* word, llcl::AtomicOp op, T operand, T expected = T()) {
    WordSlot slot(*this);
    llcl::Flag done;
    const llcl::Posted posted = job_.endpoint->KeepTrying([&] {
      return job_.endpoint->TryAtomic<T>({.target = AtHome(word),
                                          .op = op,
                                          .operand = operand,
                                          .expected = expected,
                                          .fetch_to = slot.address(),
                                          .then = done.completion()});
    });
    if (absl::Status status = WaitFor(posted, done); !status.ok()) {
      slot.Abandon();  // The answer may come yet.
      return status;
    }
    return *reinterpret_cast<const T*>(slot.address().data());
  }

  // All memory of the space as it is after a flush barrier, which it begins with, to files
  // `path`.RANK, the user's alone; and back, in a job of as many ranks that has made the same
  // allocations. All ranks call it, and have the same result; where one cannot, the files
  // that were there stay, or no page changes. A rank that dies while files take their places
  // leaves those of two checkpoints, which Restore refuses. Errors: those of Barrier; Internal,
  // NotFound, FailedPrecondition, DataLoss as CheckpointWriter and ReadCheckpoint say; Aborted
  // where that happened to another rank, which is named.
  absl::Status Save(const std::string& path);
  absl::Status Restore(const std::string& path);

  SpaceCounts counts() const;

  // The pages that were fetched most often here; and those at home here that several ranks
  // changed between the same flushes, most often first. Slow.
  std::vector<HotPage> Hottest(std::size_t most) const;
  std::vector<HotPage> FalselyShared(std::size_t most) const;
  // As a table with a line for each.
  std::string Describe(std::span<const HotPage> pages) const;

 private:
  friend class Arrival;
  class Sender;
  // Where the answer to an atomic comes.
  class WordSlot {
   public:
    explicit WordSlot(Space& space);
    ~WordSlot();
    WordSlot(const WordSlot&) = delete;
    WordSlot& operator=(const WordSlot&) = delete;
    // It is not used again.
    void Abandon() { slot_is_free_ = false; }
    llcl::LocalAddress address() const { return {space_.words_.local(), slot_ * 8}; }

   private:
    Space& space_;
    llcl::Tag slot_;
    bool slot_is_free_ = true;
  };
  static constexpr llcl::Tag kWordSlots = 256;

  // A piece of the space.
  struct Allocation {
    std::uint64_t first_page = 0;
    Distribution distribution;
    ArrayShape shape;
    std::uint64_t last_page() const { return first_page + distribution.pages(); }
  };
  static constexpr std::size_t kMostAllocations = 1 << 16;

  explicit Space(const SpaceOptions& options)
      : options_(options),
        locks_({kToLockHome, kToLockWaiter}, [this](const llcl::Flag& told) { WaitFor(told); }) {}
  llcl::EndpointOptions OptionsOfEndpoint();
  absl::Status Begin(llcl::Job job);
  absl::Status CheckSame(bool has_one_base);
  absl::Status Place(llcl::Launch& launch);
  void AddCommunicationThread();

  absl::Status Open(PageRange all);
  absl::Status TakeHomes(const Distribution& distribution);
  const Allocation* AllocationAt(std::uint64_t page) const;
  int HomeOfPage(std::uint64_t page) const;
  std::uint64_t PageAt(const void* at) const {
    return (reinterpret_cast<std::uintptr_t>(at) - options_.base) / options_.page_bytes;
  }
  // f(range of pages of one home) for those of `pages` that are not at home here.
  template <typename F>
  void ForEachForeign(PageRange pages, F f) const {
    for (std::uint64_t page = pages.first; page < pages.last;) {
      const int home = HomeOfPage(page);
      const Allocation& allocation = *AllocationAt(page);
      const PageRange same =
          allocation.distribution.NextPagesOf(home, page - allocation.first_page);
      const std::uint64_t last = std::min(pages.last, same.last + allocation.first_page);
      if (home != rank_) f(PageRange{page, last});
      page = last;
    }
  }

  // Pages come (fetch.cc).
  absl::StatusOr<PageRange> PagesOf(std::span<const std::byte> memory) const;
  bool OnFault(std::uint64_t offset, bool writes) override;
  bool MaySwitch() const override { return options_.waiter != nullptr; }
  void Fetch(PageRange pages) override;
  bool TryFetch(PageRange pages, llcl::Completion then) override;
  void WaitFor(const llcl::Counter& done, std::uint64_t expected) const;
  void WaitFor(const llcl::Flag& told);
  [[noreturn]] void OnLost(PageRange pages) override;
  [[noreturn]] void OnRefused(const char* what, PageRange pages) override;
  [[noreturn]] void End(PageRange pages, const char* why) const;
  static constexpr int kPageIsGone = 75;  // sysexits.h's EX_TEMPFAIL

  // To disk and back (checkpoint.cc).
  CheckpointHeader HeaderOfCheckpoint() const;
  absl::Status Agree(const absl::Status& mine, const char* what);
  absl::Status Agree(const absl::Status& mine, const char* what, std::uint64_t number,
                     std::vector<std::uint64_t>& all);
  absl::Status SavePages(CheckpointWriter& writer, PageRange pages);

  // What happened is told (seeing.cc).
  std::string NameOfElement(std::uint64_t offset) const;
  template <typename Weight>
  std::vector<HotPage> Heaviest(std::size_t most, Weight weight) const;
  void Tell(std::span<const Race> races);

  // Changes go, and copies that are stale (barrier.cc).
  static constexpr llcl::HandlerId kChanges{0}, kLockedChanges{1}, kAcknowledgment{2}, kHeld{3},
      kToLockHome{4}, kToLockWaiter{5};
  std::vector<llcl::Handler> Handlers();  // by their ids
  absl::Status BringChangesHome(std::uint64_t& epoch);
  absl::Status TellWhatIsNew();
  absl::Status FindStale(std::uint64_t epoch, std::vector<std::uint64_t>& pages);
  // Those of the copies that are here or on their way, of this memory, or of all.
  absl::StatusOr<std::vector<std::uint64_t>> HeldOf(std::span<const std::byte> memory);
  absl::Status DropAndSend(std::vector<std::uint64_t> pages);
  absl::Status Meet();
  absl::Status SendTo(int rank, llcl::HandlerId handler, std::span<const std::byte> payload);
  void KeepRoom();
  std::uint64_t EvictWritten();
  bool AreHere(PageRange pages) const;
  bool TryApply(int from, bool is_locked, std::span<const std::byte> message);
  bool TryAddHeld(std::span<const std::byte> message);
  absl::Status WaitForAcknowledgments();
  llcl::RemoteAddress AtHome(const void* at) const {
    return {homes_[static_cast<std::size_t>(HomeOf(at))],
            reinterpret_cast<std::uintptr_t>(at) - options_.base};
  }
  absl::Status WaitFor(llcl::Posted posted, llcl::Flag& done);
  absl::Status CheckAllThere() const;
  absl::Status WhyNotAll(const char* else_this) const;

  const SpaceOptions options_;
  int rank_ = 0, ranks_ = 1;
  Placement placement_;
  Locks locks_;  // longer than the endpoint, whose handlers use it
  std::mutex threads_mutex_;
  std::vector<pid_t> communication_threads_;  // under threads_mutex_
  llcl::Job job_;
  llcl::OwnedFd memory_fd_;
  llcl::Region memory_;                    // all of the space, as it is received and sent
  std::vector<llcl::RemoteRegion> homes_;  // everybody's, by rank
  Reserved view_;                          // the program's
  std::unique_ptr<Engine> engine_;
  std::span<std::uint64_t> stamps_;  // by page, behind the space in memory_: those at home
  static constexpr std::uint64_t kStampsAtOnce = 8192;
  llcl::Region stamps_read_;  // others'
  Heat heat_;
  std::unique_ptr<HomePages> home_;
  std::unique_ptr<RaceFinder> races_;  // if it is wanted
  std::unique_ptr<Copies> copies_;
  std::unique_ptr<FaultWatch> watch_;
  std::thread room_keeper_;  // where the cache is bounded

  // Read by handlers: published by the count.
  std::unique_ptr<std::unique_ptr<const Allocation>[]> allocations_;  // by address
  std::atomic<std::size_t> allocation_count_{0};
  std::vector<std::uint64_t> home_pages_used_;  // by rank

  std::mutex sending_;                  // held by who sends changes, until they are acknowledged
  std::vector<std::uint64_t> sent_to_;  // messages so far, by rank. Under sending_
  std::uint64_t epoch_ = 1;             // stamp.h; under sending_
  std::unique_ptr<std::atomic<std::uint64_t>[]> acknowledged_by_;  // of them, by rank
  llcl::Region words_;                                             // of WordSlots
  llcl::BasicTags<topo::Atomic> free_words_{kWordSlots};
  std::atomic<std::uint64_t> diff_bytes_{0}, diff_messages_{0}, barriers_{0}, races_found_{0};
};

}  // namespace dsm
