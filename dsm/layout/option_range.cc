#include "dsm/layout/option_range.h"

#include <unistd.h>

#include "dsm/layout/pages.h"

namespace dsm {
namespace {

constexpr std::uint64_t kMostPageBytes = std::uint64_t{1} << 30;

}  // namespace

absl::Status CheckPageBytes(std::uint64_t page_bytes) {
  const auto system_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (page_bytes > 0 && page_bytes <= kMostPageBytes && PageSize(system_page).Divides(page_bytes)) {
    return absl::OkStatus();
  }
  return Wrong("page_bytes", page_bytes,
               absl::StrCat("a multiple of ", system_page, ", at most ", kMostPageBytes));
}

}  // namespace dsm
