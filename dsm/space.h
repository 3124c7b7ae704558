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
//   absent: MakeResident. Handlers of signals that come from outside must not touch the space.
// Errors: where a page cannot be had, as its home is gone, the process ends with exit code
//   75 and a sentence: no access can report it.
//
// Source: [Mid18] section 2.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/copies.h"
#include "dsm/distribution.h"
#include "dsm/engine.h"
#include "dsm/faults.h"
#include "llcl/job.h"
#include "llcl/owned_fd.h"
#include "llcl/tags.h"
#include "topo/atomic.h"

namespace dsm {

// A value; the same on all ranks, the engine excepted.
struct SpaceOptions {
  std::uint64_t bytes = std::uint64_t{1} << 36;  // of address space; memory only where used
  std::uint64_t page_bytes = 4096;               // a multiple of the system's
  std::uintptr_t base = 0x2000'0000'0000;        // where it begins
  EngineKind engine = EngineKind::kAutomatic;
};

// What a barrier does, besides waiting for all ranks.
enum class Consistency {
  kFlush,    // changes go to their homes, and all copies are dropped
  kDiscard,  // all copies are dropped, and what was written to them is lost (sms_sync_drop)
  kKeep,     // nothing: copies stay as they are (sms_sync)
};

enum class Access { kRead, kWrite };  // kWrite: and read

// A value; counted since the beginning, on this rank.
struct SpaceCounts {
  CopyCounts copies;
  std::uint64_t diff_bytes = 0;     // sent
  std::uint64_t diff_messages = 0;  // sent
  std::uint64_t barriers = 0;
};

// A resource.
class Space final : private PageSource, private FaultListener {
 public:
  // All ranks of the job call it (llcl's Join). Errors: those of Join; InvalidArgument for
  // sizes that do not fit; FailedPrecondition where ranks have other options, with both, or
  // where something is at the base; Unavailable for an engine that the system lacks.
  static absl::StatusOr<std::unique_ptr<Space>> Join(const SpaceOptions& options = {});
  // All ranks call it, after a barrier.
  ~Space() override;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  // Is the rank known to be gone?
  bool IsGone(int rank) const { return job_.endpoint->IsDown(llcl::Rank{rank}); }
  const SpaceOptions& options() const { return options_; }
  EngineKind engine() const { return engine_->kind(); }

  // New memory, zeros, at the beginning of a page: the same on all ranks, which all call it.
  // Errors: those of Distribution::Make; ResourceExhausted where the space is full; those of
  // Barrier.
  absl::StatusOr<std::span<std::byte>> Allocate(const ArrayShape& array, const Mapping& mapping);
  // Of what Allocate returned; `at` lies in it. Precondition: it was allocated.
  const Distribution& DistributionOf(const void* at) const;
  int HomeOf(const void* at) const;

  // Errors: Unavailable where a rank is gone, or does not come in time.
  absl::Status Barrier(Consistency consistency);

  // Brings what is absent, neighboring pages together. Errors: OutOfRange for what was not
  // allocated.
  absl::Status Preload(std::span<const std::byte> memory, Access access = Access::kRead);
  // The same for a part of an array that begins at `array`, in C's order: rows that share
  // pages or follow each other come together. Errors: also InvalidArgument for a part that
  // is not in the array.
  absl::Status PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                            Access access = Access::kRead);
  // The same, for memory that is given to system calls or libraries until the next barrier.
  absl::Status MakeResident(std::span<const std::byte> memory, Access access) {
    return Preload(memory, access);
  }

  // Between barriers, for who holds a lock (mutex.h): what others released before is seen
  // from here on, and what was written is at home when it returns. By any thread. Errors: as
  // Barrier.
  absl::Status Acquire();
  absl::Status Release();

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

  SpaceCounts counts() const;

 private:
  class DiffSender;
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
    std::uint64_t last_page() const { return first_page + distribution.pages(); }
  };
  static constexpr std::size_t kMostAllocations = 1 << 16;
  struct DiffHeader {
    std::uint64_t page = 0;
    std::uint64_t bytes = 0;
  };

  explicit Space(const SpaceOptions& options) : options_(options) {}
  absl::Status Begin();
  absl::Status CheckSame();

  const Allocation* AllocationAt(std::uint64_t page) const;
  int HomeOfPage(std::uint64_t page) const;
  std::uint64_t PageAt(const void* at) const {
    return (reinterpret_cast<std::uintptr_t>(at) - options_.base) / options_.page_bytes;
  }
  // f(range of pages of one home) for those of `pages` that are not at home here.
  template <typename F>
  void ForEachForeign(PageRange pages, F f) const;

  bool OnFault(std::uint64_t offset, bool writes) override;
  void Fetch(PageRange pages) override;
  [[noreturn]] void OnRefused(const char* what, PageRange pages) override;
  [[noreturn]] void End(PageRange pages, const char* why) const;

  // Barriers (barrier.cc).
  static constexpr llcl::HandlerId kDiffs{0}, kDiffsToAcknowledge{1}, kAcknowledgment{2};
  std::vector<llcl::Handler> Handlers();  // by their ids
  absl::Status BringChangesHome();
  bool TryApply(std::span<const std::byte> message);
  absl::Status WaitForDiffs(std::span<const std::uint64_t> sent);
  absl::Status WaitForAcknowledgments();
  llcl::RemoteAddress AtHome(const void* at) const {
    return {homes_[static_cast<std::size_t>(HomeOf(at))],
            reinterpret_cast<std::uintptr_t>(at) - options_.base};
  }
  absl::Status WaitFor(llcl::Posted posted, llcl::Flag& done);
  absl::Status CheckAllThere() const;

  const SpaceOptions options_;
  int rank_ = 0, ranks_ = 1;
  llcl::Job job_;
  llcl::OwnedFd memory_fd_;
  llcl::Region memory_;                    // all of the space, as it is received and sent
  std::vector<llcl::RemoteRegion> homes_;  // everybody's, by rank
  Reserved view_;                          // the program's
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Copies> copies_;
  std::unique_ptr<FaultWatch> watch_;

  // Read by handlers: published by the count.
  std::unique_ptr<std::unique_ptr<const Allocation>[]> allocations_;  // by address
  std::atomic<std::size_t> allocation_count_{0};

  std::unique_ptr<std::atomic<std::uint64_t>[]> diffs_from_;  // messages so far, by rank
  std::mutex releasing_;                // held by who waits for acknowledgments; before sending_
  std::mutex sending_;                  // held by who sends changes or drops copies
  std::vector<std::uint64_t> sent_to_;  // messages so far, by rank. Under sending_
  std::uint64_t to_acknowledge_ = 0;    // of them, under releasing_
  std::atomic<std::uint64_t> acknowledged_{0};
  llcl::Region words_;  // of WordSlots
  llcl::BasicTags<topo::Atomic> free_words_{kWordSlots};
  std::atomic<std::uint64_t> diff_bytes_{0}, diff_messages_{0}, barriers_{0};
};

}  // namespace dsm
