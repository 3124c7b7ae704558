#include "dsm/options.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "dsm/layout/pages.h"
#include "dsm/sim/cluster.h"
#include "dsm/space.h"

namespace dsm {
namespace {

constexpr std::uint64_t kLeastCachePages = 2;
constexpr std::uint64_t kMostPageBytes = std::uint64_t{1} << 30;
// Of a process, on 64-bit machines with page tables of four levels.
constexpr std::uint64_t kAddressSpaceBytes = std::uint64_t{1} << 47;

template <typename T>
absl::Status Wrong(const char* field, T value, const std::string& may_be) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, ": it is ", may_be));
}

// NaN is in no range.
template <typename T>
absl::Status InRange(const char* field, T value, T least, T most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Wrong(field, value, absl::StrCat(least, " to ", most));
}

absl::Status CheckPageBytes(std::uint64_t page_bytes) {
  const auto system_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (page_bytes > 0 && page_bytes <= kMostPageBytes && PageSize(system_page).Divides(page_bytes)) {
    return absl::OkStatus();
  }
  return Wrong("page_bytes", page_bytes,
               absl::StrCat("a multiple of ", system_page, ", at most ", kMostPageBytes));
}

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
  if (options.engine == EngineKind::kServer && options.waiter != nullptr) {
    status.Update(absl::InvalidArgumentError(
        "with userfaultfd-server no thread of the program waits for its pages: no waiter"));
  }
  return status;
}

namespace sim {

absl::Status Check(const Machine& machine) {
  constexpr double kMostSeconds = 1e9, kLeastRate = 1e-9;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  absl::Status status = InRange("threads", machine.threads, 1, 65'536);
  status.Update(InRange("fault", machine.fault, 0.0, kMostSeconds));
  status.Update(InRange("map_page", machine.map_page, 0.0, kMostSeconds));
  status.Update(InRange("drop_page", machine.drop_page, 0.0, kMostSeconds));
  status.Update(
      InRange("copy_bytes_per_second", machine.copy_bytes_per_second, kLeastRate, kInfinity));
  status.Update(InRange("latency", machine.latency, 0.0, kMostSeconds));
  status.Update(
      InRange("link_bytes_per_second", machine.link_bytes_per_second, kLeastRate, kInfinity));
  status.Update(InRange("software", machine.software, 0.0, kMostSeconds));
  status.Update(InRange("stop_thread", machine.stop_thread, 0.0, kMostSeconds));
  return status;
}

absl::Status Check(const Shape& shape) {
  if (const absl::Status good = CheckPageBytes(shape.page_bytes); !good.ok()) return good;
  absl::Status status = InRange("nodes", shape.nodes, 1, 1 << 20);
  status.Update(InRange("pages", shape.pages, std::uint64_t{0},
                        PageSize(shape.page_bytes).WholePagesIn(kAddressSpaceBytes).value()));
  return status;
}

}  // namespace sim
}  // namespace dsm
