// Where copies of pages come from, and where what was written to them goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsm/engine/page_mapper.h"
#include "dsm/layout/pages.h"
#include "llcl/completion.h"

namespace dsm {

class PageSource : public RefusalListener {
 public:
  // Brings pages of one home into the memory of the copies; returns when they are there, or ends
  // the process. In signal handlers.
  virtual void Fetch(PageRange pages) = 0;
  // The same for kMostAtOnce bytes at most, and does not wait: `then` is notified. False: not now.
  static constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;
  [[nodiscard]] virtual bool TryFetch(PageRange pages, llcl::Completion then) = 0;
  // Behind the last of the pages, from `page` on, that Fetch brings together. In signal handlers.
  virtual PageNumber EndOfRun(PageNumber page) const = 0;
  // What TryFetch asked for does not come: ends the process.
  [[noreturn]] virtual void OnLost(PageRange pages) = 0;
};

// Its members return when the bytes are no longer needed.
class ChangeSink {
 public:
  virtual ~ChangeSink() = default;
  // The bytes in which the page differs from its twin, which is the page as it was.
  virtual void Send(PageNumber page, std::span<const std::byte> twin,
                    std::span<const std::byte> now) = 0;
  // The same, and writes the bytes that it sends to the twin: what other threads write to the page
  // meanwhile is sent now or the next time. False: there were none.
  virtual bool SendAndRenew(PageNumber page, std::span<std::byte> twin,
                            std::span<const std::byte> now) = 0;
  // Every byte of them.
  virtual void SendAll(PageRange pages) = 0;
  // Returns when what was sent is at home: before the page may be fetched again.
  virtual void Settle() = 0;
};

}  // namespace dsm
