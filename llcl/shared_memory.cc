#include "llcl/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "llcl/process_limits.h"

namespace llcl {
namespace {

absl::Status Failed(const char* what, const char* call, std::uint64_t bytes) {
  const int error = errno;
  std::string why = error == ENOMEM ? WhyNoAddresses(bytes) : "";
  if (why.empty()) why = WhyCallFailed(call, error);
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot ", what, " of ", bytes, " bytes: ", why));
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
  if (at == MAP_FAILED) return Failed("map shared memory", "mmap", bytes);
  Mapped mapped;
  mapped.at_ = static_cast<std::byte*>(at);
  mapped.bytes_ = bytes;
  return mapped;
}

Mapped::~Mapped() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

void Mapped::KeepOutOfCores() { (void)madvise(at_, bytes_, MADV_DONTDUMP); }

void Mapped::Vacate() {
  if (at_ == nullptr) return;
  constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (bytes_ <= kMostCopied) {
    void* const copy = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, kOwn, -1, 0);
    if (copy != MAP_FAILED) {
      std::memcpy(copy, at_, bytes_);
      // At once, for a thread that reads there meanwhile.
      if (mremap(copy, bytes_, bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, at_) == at_) return;
      munmap(copy, bytes_);
    }
  }
  (void)mmap(at_, bytes_, PROT_READ, kOwn | MAP_FIXED, -1, 0);
}

absl::StatusOr<OwnedFd> NewSharedMemory(std::uint64_t bytes, std::string_view advice) {
  if (absl::Status allowed = CheckFileBytes(bytes, advice); !allowed.ok()) return allowed;
  OwnedFd fd(memfd_create("llcl", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd.get() < 0) return Failed("make shared memory", "memfd_create", bytes);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return Failed("make shared memory", "ftruncate", bytes);
  }
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failed("seal shared memory", "fcntl", bytes);
  }
  return fd;
}

absl::StatusOr<std::uint64_t> SizeOf(int fd) {
  struct stat file = {};
  if (fstat(fd, &file) != 0) {
    return absl::ResourceExhaustedError("not shared memory: " + WhyCallFailed("fstat", errno));
  }
  return static_cast<std::uint64_t>(file.st_size);
}

}  // namespace llcl
