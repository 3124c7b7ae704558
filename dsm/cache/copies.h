// The pages of other ranks that are here: fetched when they are touched or before, kept
// until they change elsewhere or their memory is needed, compared with what they were when
// they have been written.
//
// Threads: OnFault, Preload, StartPreload, Evict by any, the first in signal handlers too; the
//   rest by one at a time, while others may be in those.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/cache/frames.h"
#include "dsm/cache/page.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/distribution.h"
#include "dsm/report/heat.h"
#include "llcl/completion.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// What a page is brought for.
enum class Access {
  kRead,
  kWrite,      // and reading
  kOverwrite,  // every byte of it: what it was does not come
};

// Where copies come from.
class PageSource {
 public:
  virtual ~PageSource() = default;
  // Brings pages of one home into the memory of Copies; returns when they are there, or
  // ends the process. In signal handlers.
  virtual void Fetch(PageRange pages) = 0;
  // The same for kMostAtOnce bytes at most, and does not wait: `then` is told. False: not now.
  static constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;
  [[nodiscard]] virtual bool TryFetch(PageRange pages, llcl::Completion then) = 0;
  // What TryFetch asked for does not come: ends the process.
  [[noreturn]] virtual void OnLost(PageRange pages) = 0;
  // The system refuses what the engine asked for: ends the process.
  [[noreturn]] virtual void OnRefused(const char* what, PageRange pages) = 0;
};

// Where changes go. Its members return when the bytes are no longer needed.
class ChangeSink {
 public:
  virtual ~ChangeSink() = default;
  // Where the page differs from its twin, which is what it was.
  virtual void Send(std::uint64_t page, std::span<const std::byte> twin,
                    std::span<const std::byte> now) = 0;
  // Every byte of them.
  virtual void SendAll(PageRange pages) = 0;
  // Returns when what was sent is at home: before the page may be fetched again.
  virtual void Settle() = 0;
};

// A value; counted since the beginning.
struct CopyCounts {
  std::uint64_t faults = 0;         // reads and writes that came too early
  std::uint64_t pages_fetched = 0;  // by faults and preloads
  std::uint64_t fetches = 0;        // of one page or more at once
  std::uint64_t twins = 0;          // pages that were written
  std::uint64_t overwritten = 0;    // pages that were to be written without being fetched
  std::uint64_t invalidated = 0;    // by barriers and locks
  std::uint64_t evicted = 0;        // because their memory was needed
};

// A value.
struct CopyOptions {
  std::uint64_t most_pages = 0;  // that have memory; zero: any number
  // Called again and again by who waits for a page instead of sleeping, in the signal handler;
  // may run other threads of the program's own.
  bool (*waiter)() = nullptr;
  Heat* heat = nullptr;  // is told of each page, if there is one
};

// A resource. The engine, the memory (the other view of the engine's) and the source outlive
// it.
class Copies {
 public:
  static absl::StatusOr<std::unique_ptr<Copies>> Make(Engine& engine, std::span<std::byte> memory,
                                                      std::uint64_t page_bytes, PageSource& source,
                                                      const CopyOptions& options);
  ~Copies();

  void OnFault(std::uint64_t page, bool writes);
  // Pages of one home: those that are absent come at once.
  void Preload(PageRange pages, Access access);
  // They come while the caller goes on; who touches one waits for it. Returns the first that
  // found no room, which comes when it is touched.
  std::uint64_t StartPreload(PageRange pages, bool writes);
  // Is none of them on its way any more? Those that have arrived are there then.
  bool IsThere(PageRange pages);

  // They are not evicted until they are dropped, or unpinned. False: there is no room for so many.
  [[nodiscard]] bool TryPin(std::span<const PageRange> pages);
  void UnpinAll();

  // All that are here or on their way, ascending.
  std::vector<std::uint64_t> Held();
  // Those of them that were asked for since it was called last, or since they were dropped.
  std::vector<std::uint64_t> TakeNew();
  bool IsNew(std::uint64_t page) const { return Is(page, kNew); }
  // Returns when faults in these pages that have begun are over, and what is coming is there:
  // what other threads wrote to them before counts as written then. Who calls it must not keep
  // others from evicting.
  void FinishFaults(std::span<const std::uint64_t> pages);
  // Those of them that were written are sent, settled, and clean then; until then writes to
  // them wait, and they are not dropped: who fetches one again finds there what was written here.
  void SendChanges(std::span<const std::uint64_t> pages, ChangeSink& sink);
  // They are absent then. What was written to them is sent, or lost without a sink. Does not
  // wait for faults: returns those pages that are in one, to be dropped after FinishFaults.
  [[nodiscard]] std::vector<std::uint64_t> Drop(std::span<const std::uint64_t> pages,
                                                ChangeSink* sink);

  // For a thread that keeps memory free (Threads: one): returns when somebody waits for it, or
  // Stop was called (false).
  [[nodiscard]] bool WaitForNeed();
  void Stop();
  bool is_stopping() const { return is_stopping_.load(std::memory_order_acquire); }
  // Makes what has come in the background a copy as any; for the same thread.
  void TakeArrived();
  // Takes the memory of some pages that need not be sent; of some that need. Returns how many.
  std::uint64_t EvictClean();
  std::uint64_t EvictWritten(ChangeSink& sink);

  CopyCounts counts() const;
  std::uint64_t frames_used();

 private:
  using Page = BasicPage<topo::SpinningAtomic>;
  enum Mark : std::uint8_t {
    kListed = 1,       // in held_
    kNew = 2,          // came since TakeNew
    kOverwritten = 4,  // all of it counts as written
    kFramed = 8,       // in frames_
    kPinned = 16,
    kTwinned = 32,  // its twin takes memory
  };
  // What StartPreload asked for.
  struct Coming {
    Copies* copies = nullptr;
    bool is_used = false;  // under lock_, as are the others
    PageRange pages;
    bool writes = false;
    std::atomic<int> outcome{0};  // 0, or one more than llcl's
  };
  static constexpr std::size_t kMostComing = 256;

  Copies(Engine& engine, std::span<std::byte> memory, std::uint64_t page_bytes, PageSource& source,
         const CopyOptions& options)
      : engine_(engine),
        memory_(memory),
        page_bytes_(page_bytes),
        source_(source),
        options_(options) {}
  std::span<std::byte> BytesOf(std::uint64_t page) const {
    return memory_.subspan(page * page_bytes_, page_bytes_);
  }
  std::span<std::byte> TwinOf(std::uint64_t page) const {
    return {twins_.data() + page * page_bytes_, page_bytes_};
  }
  void ForgetTwins(PageRange pages);
  bool Is(std::uint64_t page, Mark mark) const {
    return (marks_[page].load(std::memory_order_relaxed) & mark) != 0;
  }
  void Set(std::uint64_t page, unsigned marks) {
    marks_[page].fetch_or(static_cast<std::uint8_t>(marks), std::memory_order_relaxed);
  }
  void Clear(std::uint64_t page, unsigned marks) {
    marks_[page].fetch_and(static_cast<std::uint8_t>(~marks), std::memory_order_relaxed);
  }
  template <typename Sleep>
  void Pause(Sleep sleep) const {
    if (options_.waiter == nullptr || !options_.waiter()) sleep();
  }
  Turn Begin(std::uint64_t page, bool writes) {
    return pages_[page].Begin(writes, [this](auto sleep) { Pause(sleep); });
  }

  void Bring(PageRange pages, Access access);
  void Arrive(PageRange pages, Access access);
  void Arm(std::uint64_t page, Access access);
  bool TryReserve(PageRange pages);
  void Reserve(std::uint64_t page);
  void PutBack(PageRange pages);
  void Take(std::uint64_t page);
  bool TryArrive(std::uint64_t page);
  void KeepTwins(PageRange pages);
  void AddHeld(PageRange pages);
  void ForgetAbsent();
  void Send(std::span<const PageRange> written, ChangeSink& sink);
  template <typename Leave>
  std::vector<std::uint64_t> TakeOldest(Leave leave);
  void GiveBack(std::span<const std::uint64_t> pages);
  void Count(PageRange pages, std::uint32_t PageHeat::*what) {
    if (options_.heat == nullptr) return;
    for (std::uint64_t page = pages.first; page < pages.last; ++page) {
      options_.heat->Count(page, what);
    }
  }
  // The engine's primitives; they succeed, or end the process.
  void Require(bool done, const char* what, PageRange pages) {
    if (!done) source_.OnRefused(what, pages);
  }

  Engine& engine_;
  const std::span<std::byte> memory_;
  const std::uint64_t page_bytes_;
  PageSource& source_;
  const CopyOptions options_;
  Reserved states_, twins_, held_, mark_bytes_;
  Page* pages_ = nullptr;                              // in states_
  std::atomic<std::uint8_t>* marks_ = nullptr;         // in mark_bytes_
  topo::Atomic<int> lock_{0};                          // held for a moment, by handlers too
  std::uint64_t held_count_ = 0;                       // in held_. Under lock_
  Frames frames_;                                      // under lock_
  std::vector<PageRange> pinned_;                      // under lock_
  std::uint64_t pinned_pages_ = 0, coming_pages_ = 0;  // under lock_
  topo::SpinningAtomic<std::uint32_t> freed_{0};       // raised when there is more room
  topo::SpinningAtomic<std::uint32_t> needed_{0};      // raised when somebody waits for it
  std::uint32_t needs_seen_ = 0;                       // of them, by the one thread
  std::atomic<bool> is_stopping_{false};
  static constexpr std::uint64_t kMostIdleTwinBytes = std::uint64_t{32} << 20;
  std::atomic<std::uint64_t> twin_bytes_{0};  // that take memory
  std::array<Coming, kMostComing> coming_;
  topo::SpinningAtomic<std::uint32_t> arrived_{0};  // raised when one has come
  std::atomic<std::uint64_t> faults_{0}, pages_fetched_{0}, fetches_{0}, twins_kept_{0},
      overwritten_{0}, invalidated_{0}, evicted_{0};
};

}  // namespace dsm
