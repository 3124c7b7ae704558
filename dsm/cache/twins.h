// The twins of copies that are written: what a page was before, to find what was changed.
//
// Threads: any, for pages of which the calling thread has made the state a passing one (page.h); in
//   signal handlers too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "dsm/cache/page_marks.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A resource; the marks outlive it.
class Twins {
 public:
  explicit Twins(PageMarks& marks) : marks_(marks) {}
  // Before any other member. `memory`: of the copies.
  absl::Status Open(PageMemory memory);

  std::span<std::byte> Of(PageNumber page) const { return twins_.BytesOf(page); }
  void Keep(PageRange pages);
  // Instead of a twin: all of the page counts as written.
  void SetOverwritten(PageNumber page) { marks_.Set(page, kOverwritten); }
  bool IsOverwritten(PageNumber page) const { return marks_.Is(page, kOverwritten); }
  // The changes of the pages were sent, or are lost.
  void Forget(PageRange pages);

 private:
  static constexpr std::uint64_t kMostIdleBytes = std::uint64_t{32} << 20;

  PageMarks& marks_;
  PageMemory copies_;
  Reserved reserved_;
  PageMemory twins_;                     // in reserved_
  std::atomic<std::uint64_t> bytes_{0};  // that take memory
};

}  // namespace dsm
