// Facts about the copy of a page that do not change its state: a bit each, in a byte for each page.
//
// Threads: any, in signal handlers too. A mark orders nothing by itself; the class that sets it
//   says which lock or which state of the page keeps it consistent with what it is about.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "dsm/engine/page_array.h"
#include "dsm/layout/pages.h"

namespace dsm {

enum PageMark : std::uint8_t {
  kListed = 1,        // in HeldPages
  kNew = 2,           // asked for since HeldPages::TakeNew
  kOverwritten = 4,   // all of it counts as written
  kFramed = 8,        // has a frame of FramePool
  kPinned = 16,       // keeps it
  kTwinned = 32,      // its twin takes memory
  kListedEntry = 64,  // in the list of the held pages, or was
  kNewEntry = 128,    // in the list of the new ones, or was
};

// A resource.
class PageMarks {
 public:
  absl::Status Open(PageCount pages) {
    auto bytes = PageArray<std::atomic<std::uint8_t>>::Make(pages);
    if (bytes.ok()) bytes_ = *std::move(bytes);
    return bytes.status();
  }
  bool Is(PageNumber page, PageMark mark) const {
    return (bytes_[page].load(std::memory_order_relaxed) & mark) != 0;
  }
  void Set(PageNumber page, unsigned marks) {
    bytes_[page].fetch_or(static_cast<std::uint8_t>(marks), std::memory_order_relaxed);
  }
  void Clear(PageNumber page, unsigned marks) {
    bytes_[page].fetch_and(static_cast<std::uint8_t>(~marks), std::memory_order_relaxed);
  }

 private:
  PageArray<std::atomic<std::uint8_t>> bytes_;
};

}  // namespace dsm
