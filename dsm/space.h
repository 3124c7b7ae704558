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
// both took part in (weak consistency). Between barriers a program has no data races: no rank
// reads or writes a byte that another rank writes, unless both hold the same lock (mutex.h).
// Ranks may write different bytes of one page.
//
// Threads: any, all members; Allocate, Free and Barrier by one of a rank at a time, by all ranks in
//   the same order. While a rank is in a barrier its other threads may use memory that the
//   barrier is not about. Memory that a system call or a library is to use is made
//   resident before (MakeResident). Handlers of signals that come from
//   outside must not touch the space.
// Errors: where a page cannot be had, as its home is gone, the process ends with exit code
//   75 and a sentence: no access can report it.
// Locks: their order is in threads/lock_order.h.
//
// A facade: each part has its own state and its own lock.
//
//   layout/   AddressMap: what lies where, and which rank is its home
//   engine/   SpaceMemory, an Engine: the memory and its mappings; (paging/) FaultDispatcher:
//   faults cache/    Copies of other ranks' pages; PageFetcher, Preloader: how they come home/
//   HomePages, RemoteAtomics: pages that are at home here release/  ReleaseProtocol: how changes
//   get home and stale copies go; Evictor: bounded caches lock/     Locks: the queues of mutexes
//   peers/    Peers: the other ranks; CommunicationThreads
//   checkpoint/, report/   functions over these
//
// Source: [Mid18] section 2.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/cache/page_fetcher.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/space_memory.h"
#include "dsm/home/home.h"
#include "dsm/home/remote_atomics.h"
#include "dsm/layout/address_map.h"
#include "dsm/layout/distribution.h"
#include "dsm/layout/placement.h"
#include "dsm/lock/locks.h"
#include "dsm/options.h"
#include "dsm/page/heat.h"
#include "dsm/paging/evictor_thread.h"
#include "dsm/paging/fault_dispatcher.h"
#include "dsm/paging/preloader.h"
#include "dsm/peers/peers.h"
#include "dsm/release/release_protocol.h"
#include "dsm/report/hot_pages.h"
#include "dsm/threads/communication_threads.h"
#include "dsm/threads/handler_gate.h"
#include "dsm/threads/never_waits.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/messenger.h"
#include "llcl/team.h"

namespace dsm {

// A value; counted since the beginning, on this rank.
struct SpaceCounts {
  CopyCounts copies;
  HomeCounts home;
  std::uint64_t diff_bytes = 0;     // sent
  std::uint64_t diff_messages = 0;  // sent
  std::uint64_t barriers = 0;
  std::uint64_t races = 0;           // found at home here
  std::uint64_t pages_in_cache = 0;  // now, dropped ones too; 0: it has no bound
};

// A resource.
class Space {
 public:
  // All ranks of the job call it (llcl's Join). Errors: those of Join; InvalidArgument for
  // sizes that do not fit; FailedPrecondition where ranks have other options, with both, or
  // where something is at the base; Unavailable for an engine that the system lacks;
  // ResourceExhausted for a limit of the process, with the limit; Aborted where another rank has
  // one of these, with its number.
  static absl::StatusOr<std::unique_ptr<Space>> Join(const SpaceOptions& options = {});
  // The same by a launch of the program's own. In a program that has MPI, after MPI_Init, with
  // llcl/mpi.h:
  //
  //   auto launch = llcl::MakeMpiLaunch(MPI_COMM_WORLD);
  //   if (!launch.ok()) ...
  //   auto space = dsm::Space::JoinBy(*std::move(launch));
  //
  // All ranks of the communicator call it, and each is the same rank of the space, which may end
  // before MPI_Finalize or after it. MPI's buffers in the space are made resident before a
  // call of MPI (MakeResident). Errors: as Join; also InvalidArgument for no launch.
  static absl::StatusOr<std::unique_ptr<Space>> JoinBy(std::unique_ptr<llcl::Launch> launch,
                                                       const SpaceOptions& options = {});
  // The same over a conduit of any kind, as that of a simulated network whose ranks are
  // threads of one process: the base may then be another on each rank, and pointers are good
  // on one.
  static absl::StatusOr<std::unique_ptr<Space>> Make(std::unique_ptr<llcl::Conduit> conduit,
                                                     const SpaceOptions& options = {});
  // All ranks call it, after a barrier.
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  int rank() const { return map_->rank(); }
  int ranks() const { return map_->ranks(); }
  // Is the rank known to be gone?
  bool IsGone(int rank) const { return peers_->IsGone(rank); }
  const SpaceOptions& options() const { return options_; }
  EngineKind engine() const { return memory_->engine().kind(); }
  const Placement& placement() const { return threads_.placement(); }

  // The endpoint that the space uses, for the program's own messages, regions, reads and writes,
  // teams and aggregators: pages and messages are of one job. World is the program's; the space
  // has a team of its own. Its timeout is the options' patience, and its mode llcl::Mode::kOffload.
  // Its teams, regions and aggregators end before the space. The program neither aborts it nor has
  // regions in memory of the space that is not resident (MakeResident). A barrier does not wait for
  // the program's messages: a rank knows by its own count, or by an answer, that a handler has run.
  // What a handler wrote to memory at home is seen by other ranks after the next flush barrier that
  // its rank begins behind the handler.
  llcl::Endpoint& endpoint() { return *job_.endpoint; }
  // The id of the program's handler at `index` of SpaceOptions::handlers: a message goes to it by
  // endpoint().TrySend, and an answer by Message::Reply. Ids of the program's own making would be
  // of the space's handlers. TrySend refuses the id of a handler that there is not, kBadRange.
  static llcl::HandlerId HandlerOf(std::size_t index);

  // New memory, zeros, at the beginning of a page: the same on all ranks, which all call it.
  // Errors: those of Distribution::Make; ResourceExhausted where the space is full;
  // FailedPrecondition where ranks ask for different sizes or mappings; those of Barrier.
  absl::StatusOr<std::span<std::byte>> Allocate(const ArrayShape& array, const Mapping& mapping);
  // Gives back memory that Allocate returned, all of it: its addresses may be allocated anew, with
  // another mapping, and an access to it is a wild pointer. The same on all ranks, which all call
  // it. Begins with a flush barrier; from its call on no thread of the caller's rank uses the
  // memory. Errors: those of Barrier; InvalidArgument for memory that is not one allocation;
  // Aborted where another rank's system refuses to give it back, Unavailable where this rank's
  // does: then the memory is gone, and its addresses are not allocated again.
  absl::Status Free(std::span<const std::byte> memory);
  // Of what Allocate returned; `at` lies in it. Precondition: it was allocated.
  const Distribution& DistributionOf(const void* at) const { return map_->DistributionOf(at); }
  // kNoHome: it is memory by first touch, of which this rank has not touched the page.
  // Precondition: as DistributionOf.
  int HomeOf(const void* at) const { return map_->HomeOf(at); }

  // Errors: Unavailable where a rank is gone, or does not come in time.
  absl::Status Barrier(Consistency consistency);

  // Fetches the pages that are absent, neighbors together. With kOverwrite pages that lie in the
  // memory as a whole are not fetched: they have any value until they are written, and count as
  // written.
  // Errors: OutOfRange for what was not allocated; ResourceExhausted for more than the cache.
  absl::Status Preload(std::span<const std::byte> memory, Access access = Access::kRead) {
    return preloader().Preload(memory, access);
  }
  // The same for a part of an array that begins at `array`, in C's order: rows that share
  // pages or follow each other come together. Errors: also InvalidArgument for a part that
  // is not in the array.
  absl::Status PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                            Access access = Access::kRead) {
    return preloader().PreloadArray(array, shape, part, access);
  }
  // The same while the caller goes on (but for the first touch of pages, FirstTouch): a thread that
  // touches a page before it is there waits for it. Errors: OutOfRange; InvalidArgument with
  // kOverwrite.
  absl::StatusOr<Arrival> StartPreload(std::span<const std::byte> memory,
                                       Access access = Access::kRead) {
    return preloader().StartPreload(memory, access);
  }
  // As Preload, for memory that is given to system calls or libraries until the next barrier
  // or lock: its pages are not evicted, and those at home are writable even where other ranks have
  // copies. Errors: also
  // ResourceExhausted for more than half of the cache.
  absl::Status MakeResident(std::span<const std::byte> memory, Access access) {
    return preloader().MakeResident(memory, access);
  }

  // Is all of this memory here, so that to read it fetches nothing? It may be evicted or dropped
  // at any time, but for memory of MakeResident. False for memory that was not allocated.
  bool IsResident(std::span<const std::byte> memory) const;

  // Between barriers, for a thread that holds a lock (mutex.h): what others released before is seen
  // from here on, and what was written is at home when it returns; of this memory, or, where it
  // is empty, of all. By any thread. Errors: as Barrier; OutOfRange for what was not allocated.
  absl::Status Acquire(std::span<const std::byte> memory = {});
  absl::Status Release(std::span<const std::byte> memory = {});
  // OutOfRange where not all of it was allocated.
  absl::Status CheckAllocated(std::span<const std::byte> memory) const {
    return map_->PagesOf(memory).status();
  }
  Locks& locks() { return locks_; }  // for Mutex

  // At the home, whoever has copies: op(word, operand), or a compare-and-swap; returns what was
  // there before. T: std::int8_t to std::uint64_t, float or double. Copies do not change, so such
  // words are read by Atomic only. Words of one and two bytes take two operations or more. Errors:
  // as Barrier; InvalidArgument for a word that is not aligned; OutOfRange for one in memory that
  // is not allocated.
  template <typename T>
  requires llcl::AtomicWord<T> || NarrowWord<T> absl::StatusOr<T> Atomic(T* word, llcl::AtomicOp op,
                                                                         T operand,
                                                                         T expected = T()) {
    never_waits::RequireNot("Space::Atomic");
    return atomics_->Apply(word, op, operand, expected);
  }

  // Save begins with a flush barrier, and writes all memory of the space to files
  // `path`.NUMBER.RANK, which only the user may read; each checkpoint has the next number. The
  // files of the checkpoint before are removed when those of the new one are whole on all ranks:
  // whenever a rank is killed, or its file system refuses, there is a whole checkpoint, the older
  // or the newer. Restore reads the newest that is whole on all ranks, in a job of as many ranks
  // that has made the same allocations. All ranks call them, and have the same result: where one
  // rank cannot save, the checkpoint before stays; where one cannot restore, no page changes.
  // Pages by first touch have the homes again that they were saved on, and pages of zeros none;
  // their memory has the same mapping, and of the options that FirstTouch names the space has the
  // same.
  // Errors: those of Barrier; Internal, NotFound, FailedPrecondition, DataLoss as CheckpointWriter
  // and ReadCheckpoint say; FailedPrecondition where ranks have no checkpoint in common; Aborted
  // where that happened to another rank, which is named.
  absl::Status Save(const std::string& path);
  absl::Status Restore(const std::string& path);

  SpaceCounts counts() const;

  // The pages that were fetched most often here; and those at home here that several ranks
  // changed between the same flushes, most often first. Slow.
  std::vector<HotPage> Hottest(std::size_t most) const {
    return HottestPages(*map_, heat_, &PageHeat::fetched, most);
  }
  std::vector<HotPage> FalselyShared(std::size_t most) const {
    return HottestPages(*map_, heat_, &PageHeat::shared, most);
  }
  // As a table with a line for each.
  std::string Describe(std::span<const HotPage> pages) const { return DescribePages(*map_, pages); }

 private:
  explicit Space(const SpaceOptions& options);
  llcl::EndpointOptions OptionsOfEndpoint();
  // `join`: from the endpoint's options to a job.
  template <typename JoinJob>
  static absl::StatusOr<std::unique_ptr<Space>> JoinWith(const SpaceOptions& options, JoinJob join);
  std::vector<llcl::Handler> Handlers();
  absl::Status Begin(llcl::Job job);
  absl::Status BeginParts();
  absl::Status Open(const Allocation& allocation);
  absl::Status Drop(const Allocation& allocation);
  absl::Status Close(const Allocation& allocation);
  Preloader preloader();

  // Each part may use those before it.
  const SpaceOptions options_;
  CommunicationThreads threads_;
  HandlerGate gate_;                    // outlives the endpoint, whose handlers use it
  Locks locks_;                         // the same
  std::unique_ptr<const Peers> peers_;  // the same
  llcl::Job job_;
  std::unique_ptr<llcl::Team> team_;  // all ranks
  std::unique_ptr<SpaceMemory> memory_;
  PageArray<FirstTouchPage> touched_;
  std::unique_ptr<AddressMap> map_;
  Heat heat_;
  std::unique_ptr<PageFetcher> fetcher_;
  std::unique_ptr<HomePages> home_;
  std::unique_ptr<HomeClaims> claims_;
  std::unique_ptr<Copies> copies_;
  std::unique_ptr<ReleaseProtocol> release_;
  std::unique_ptr<RemoteAtomics> atomics_;
  std::unique_ptr<FaultDispatcher> faults_;
  std::unique_ptr<Evictor> evictor_;  // where the cache is bounded
};

}  // namespace dsm
