#include "llcl/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace llcl {
namespace {

absl::Status Failed(const char* what) {
  return absl::ResourceExhaustedError(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

absl::StatusOr<Mapped> Mapped::Of(int fd, std::uint64_t bytes) {
  const absl::StatusOr<std::uint64_t> size = SizeOf(fd);
  if (!size.ok()) return size.status();
  if (bytes > *size) {
    return absl::OutOfRangeError("the shared memory has " + std::to_string(*size) +
                                 " bytes, not the " + std::to_string(bytes) + " of the region");
  }
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return Failed("cannot map shared memory");
  Mapped mapped;
  mapped.at_ = static_cast<std::byte*>(at);
  mapped.bytes_ = bytes;
  return mapped;
}

Mapped::~Mapped() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

absl::StatusOr<OwnedFd> NewSharedMemory(std::uint64_t bytes) {
  OwnedFd fd(memfd_create("llcl", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd.get() < 0) return Failed("cannot make shared memory");
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failed("cannot make shared memory so large");
  }
  return fd;
}

absl::StatusOr<std::uint64_t> SizeOf(int fd) {
  struct stat file = {};
  if (fstat(fd, &file) != 0) return Failed("not shared memory");
  return static_cast<std::uint64_t>(file.st_size);
}

}  // namespace llcl
