#include "dsm/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "dsm/layout/option_range.h"
#include "dsm/layout/pages.h"

namespace dsm {
namespace {

constexpr std::uint64_t kLeastCachePages = 2;

}  // namespace

absl::Status Check(const SpaceOptions& options) {
  if (const absl::Status good = CheckPageBytes(options.page_bytes); !good.ok()) return good;
  absl::Status status;
  if (options.bytes == 0 || !PageSize(options.page_bytes).Divides(options.bytes) ||
      options.bytes > kAddressSpaceBytes) {
    status.Update(
        Wrong("bytes", options.bytes,
              absl::StrCat("pages of ", options.page_bytes, ", at most ", kAddressSpaceBytes)));
  }
  if (options.base == 0 || !PageSize(options.page_bytes).Divides(options.base) ||
      options.base > kAddressSpaceBytes || options.bytes > kAddressSpaceBytes - options.base) {
    status.Update(
        Wrong("base", absl::StrCat("0x", absl::Hex(options.base)),
              absl::StrCat("where a page of ", options.page_bytes, " bytes begins and ",
                           options.bytes, " bytes end before 0x", absl::Hex(kAddressSpaceBytes))));
  }
  if (NameOf(options.engine) == "none") {
    status.Update(Wrong("engine", static_cast<int>(options.engine), "an EngineKind"));
  }
  const std::uint64_t least_cache =
      PageSize(options.page_bytes).BytesOf(PageCount(kLeastCachePages));
  if (options.cache_bytes > 0 && options.cache_bytes < least_cache) {
    status.Update(
        Wrong("cache_bytes", options.cache_bytes,
              absl::StrCat("0, or ", least_cache, " at least: ", kLeastCachePages, " pages")));
  }
  if (options.home_bytes > 0 && options.home_bytes < options.page_bytes) {
    status.Update(Wrong("home_bytes", options.home_bytes,
                        absl::StrCat("0, or ", options.page_bytes, " at least: a page")));
  }
  const std::uint64_t pages = PageSize(options.page_bytes).WholePagesIn(options.bytes).value();
  status.Update(InRange("readahead_pages", options.readahead_pages, std::uint64_t{0}, pages));
  constexpr int kMostThreads = 4'194'304;  // Linux's highest thread id
  status.Update(InRange("threads", options.threads, 0, kMostThreads));
  constexpr std::chrono::milliseconds kLeast(1), kMost = std::chrono::milliseconds::max();
  status.Update(
      InRange("patience in milliseconds", options.patience.count(), kLeast.count(), kMost.count()));
  status.Update(InRange("handlers.size()", options.handlers.size(), std::size_t{0}, kMostHandlers));
  for (std::size_t i = 0; i < options.handlers.size() && status.ok(); ++i) {
    if (!options.handlers[i]) {
      status.Update(Wrong("handlers", absl::StrCat("empty at ", i), "functions"));
    }
  }
  if (options.engine == EngineKind::kServer && options.waiter != nullptr) {
    status.Update(absl::InvalidArgumentError(
        "with userfaultfd-server no thread of the program waits for its pages: no waiter"));
  }
  return status;
}

}  // namespace dsm
