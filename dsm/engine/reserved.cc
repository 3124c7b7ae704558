#include "dsm/engine/reserved.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dsm/engine/engine.h"

namespace dsm {

absl::StatusOr<Reserved> Reserved::Zeros(std::uint64_t bytes) {
  if (bytes == 0) return Reserved();
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return CannotMap("reserve", nullptr, bytes);
  Reserved reserved;
  reserved.at_ = static_cast<std::byte*>(at);
  reserved.bytes_ = bytes;
  return reserved;
}

absl::StatusOr<Reserved> Reserved::SharedAt(std::uintptr_t address, int fd, std::uint64_t bytes) {
  auto* const wanted = reinterpret_cast<void*>(address);
  void* const at =
      mmap(wanted, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
  if (at == MAP_FAILED && errno == EEXIST) {
    return absl::FailedPreconditionError(
        absl::StrCat("the ", bytes, " bytes at 0x", absl::Hex(address),
                     " are taken by something else in this process: choose another base"));
  }
  if (at == MAP_FAILED) return CannotMap("map", wanted, bytes);
  Reserved reserved;
  reserved.at_ = static_cast<std::byte*>(at);
  reserved.bytes_ = bytes;
  madvise(at, bytes, MADV_DONTFORK);
  return reserved;
}

void Reserved::Clear(std::uint64_t first, std::uint64_t last) {
  const auto system_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = std::min(last, (first + system_page - 1) / system_page * system_page);
  const std::uint64_t end = std::max(begin, last / system_page * system_page);
  // Where the system refuses, the zeros are written.
  if (begin == end || madvise(at_ + begin, end - begin, MADV_DONTNEED) != 0) {
    std::memset(at_ + first, 0, last - first);
    return;
  }
  std::memset(at_ + first, 0, begin - first);
  std::memset(at_ + end, 0, last - end);
}

void Reserved::KeepOutOfCores() { (void)madvise(at_, bytes_, MADV_DONTDUMP); }

Reserved::~Reserved() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

}  // namespace dsm
