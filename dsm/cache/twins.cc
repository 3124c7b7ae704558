#include "dsm/cache/twins.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

namespace dsm {

absl::Status Twins::Open(PageMemory memory) {
  auto reserved = Reserved::Zeros(memory.all().size());
  if (!reserved.ok()) return reserved.status();
  reserved_ = *std::move(reserved);
  copies_ = memory;
  twins_ = PageMemory({reserved_.data(), reserved_.bytes()}, memory.page_size());
  return absl::OkStatus();
}

void Twins::Keep(PageRange pages) {
  const std::uint64_t page_bytes = twins_.page_size().bytes();
  for (const PageNumber page : pages) {
    if (!marks_.Is(page, kTwinned)) {
      marks_.Set(page, kTwinned);
      bytes_.fetch_add(page_bytes, std::memory_order_relaxed);
    }
    std::memcpy(Of(page).data(), copies_.BytesOf(page).data(), page_bytes);
  }
}

// Their memory is kept for the next time, where it is not much: to take it anew costs more than
// the copying.
void Twins::Forget(PageRange pages) {
  const bool frees = bytes_.load(std::memory_order_relaxed) > kMostIdleBytes;
  if (frees) {
    const std::span<std::byte> twins = twins_.BytesOf(pages);
    madvise(twins.data(), twins.size(), MADV_DONTNEED);
  }
  for (const PageNumber page : pages) {
    if (frees && marks_.Is(page, kTwinned)) {
      bytes_.fetch_sub(twins_.page_size().bytes(), std::memory_order_relaxed);
    }
    marks_.Clear(page, frees ? kOverwritten | kTwinned : kOverwritten);
  }
}

}  // namespace dsm
