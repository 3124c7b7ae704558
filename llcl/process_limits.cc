#include "llcl/process_limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "llcl/owned_fd.h"
#include "llcl/system/limits.h"

namespace llcl {
namespace {

std::uint64_t LimitOf(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return limit.rlim_cur;
}

// Zero where the system does not say: /proc may not be mounted.
std::uint64_t MappedBytes() {
  const OwnedFd statm(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text;
  const ssize_t got = statm.get() < 0 ? -1 : read(statm.get(), text.data(), text.size());
  std::uint64_t pages = 0;
  if (got > 0) (void)std::from_chars(text.data(), text.data() + got, pages);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Counts no further than `most`. Not by /proc/self/fd: opening the folder takes a descriptor.
std::uint64_t FreeDescriptors(std::uint64_t limit, std::uint64_t most) {
  std::uint64_t free = 0;
  for (std::uint64_t fd = 0; fd < limit && free < most; ++fd) {
    if (fcntl(static_cast<int>(fd), F_GETFD) < 0) ++free;
  }
  return free;
}

}  // namespace

absl::Status CheckFileBytes(std::uint64_t bytes, std::string_view advice) {
  return CheckFileBytes(bytes, LimitOf(RLIMIT_FSIZE), advice);
}

std::string WhyNoAddresses(std::uint64_t bytes) {
  const std::uint64_t limit = LimitOf(RLIMIT_AS);
  return limit == kNoLimit ? "" : WhyNoAddresses(bytes, MappedBytes(), limit);
}

absl::Status CheckDescriptors(std::string_view purpose, std::uint64_t needed) {
  const std::uint64_t limit = LimitOf(RLIMIT_NOFILE);
  return CheckDescriptors(purpose, needed, FreeDescriptors(limit, needed), limit);
}

std::string WhyCallFailed(std::string_view call, int error) {
  return WhyCallFailed(call, error, LimitOf(RLIMIT_NOFILE));
}

}  // namespace llcl
