// The pages of other ranks that are here: fetched when they are touched or before, kept
// until they change elsewhere, compared with what they were when they have been written.
//
// Threads: OnFault, Preload by any, in signal handlers too; the rest by one at a time, while
//   others may be in those.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/distribution.h"
#include "dsm/engine.h"
#include "dsm/page.h"
#include "dsm/reserved.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// Where copies come from.
class PageSource {
 public:
  virtual ~PageSource() = default;
  // Brings pages of one home into the memory of Copies; returns when they are there, or
  // ends the process. In signal handlers.
  virtual void Fetch(PageRange pages) = 0;
  // The system refuses what the engine asked for: ends the process.
  [[noreturn]] virtual void OnRefused(const char* what, PageRange pages) = 0;
};

// A value; counted since the beginning.
struct CopyCounts {
  std::uint64_t faults = 0;         // reads and writes that came too early
  std::uint64_t pages_fetched = 0;  // by faults and preloads
  std::uint64_t fetches = 0;        // of one page or more at once
  std::uint64_t twins = 0;          // pages that were written
  std::uint64_t invalidated = 0;
};

// A resource. The engine, the memory (the other view of the engine's) and the source outlive
// it.
class Copies {
 public:
  static absl::StatusOr<std::unique_ptr<Copies>> Make(Engine& engine, std::span<std::byte> memory,
                                                      std::uint64_t page_bytes, PageSource& source);

  void OnFault(std::uint64_t page, bool writes);
  // Pages of one home: those that are absent come at once.
  void Preload(PageRange pages, bool writes);

  // All that are here, ascending.
  std::vector<std::uint64_t> Held();
  // Of each that was written, `send(page, what it was, what it is)`; they are clean then.
  // Writes to them wait until it returns.
  using Send = std::function<void(std::uint64_t page, std::span<const std::byte> twin,
                                  std::span<const std::byte> now)>;
  void SendChanges(const Send& send);
  // They are absent then. What was written to them is sent, or lost without `send`.
  void Invalidate(std::span<const std::uint64_t> pages, const Send& send);

  CopyCounts counts() const;

 private:
  using Page = BasicPage<topo::SpinningAtomic>;

  Copies(Engine& engine, std::span<std::byte> memory, std::uint64_t page_bytes, PageSource& source)
      : engine_(engine), memory_(memory), page_bytes_(page_bytes), source_(source) {}
  std::span<std::byte> BytesOf(std::uint64_t page) const {
    return memory_.subspan(page * page_bytes_, page_bytes_);
  }
  std::span<std::byte> TwinOf(std::uint64_t page) const {
    return {twins_.data() + page * page_bytes_, page_bytes_};
  }
  void FetchAll(PageRange pages, bool writes);
  void KeepTwins(PageRange pages);
  void AddHeld(PageRange pages);
  // The engine's primitives; they succeed, or end the process.
  void Install(PageRange pages, bool writes);
  void Require(bool done, const char* what, PageRange pages) {
    if (!done) source_.OnRefused(what, pages);
  }

  Engine& engine_;
  const std::span<std::byte> memory_;
  const std::uint64_t page_bytes_;
  PageSource& source_;
  Reserved states_, twins_, held_;
  Page* pages_ = nullptr;  // in states_
  topo::Atomic<int> lock_{0};
  std::uint64_t held_count_ = 0;  // in held_; a page may be there twice. Under lock_
  std::atomic<std::uint64_t> faults_{0}, pages_fetched_{0}, fetches_{0}, twins_kept_{0},
      invalidated_{0};
};

}  // namespace dsm
