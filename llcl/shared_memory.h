// Memory that processes share: made here, mapped there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A mapping. A resource.
class Mapped {
 public:
  Mapped() = default;
  // The first `bytes` of the file of `fd`. Errors: OutOfRange where the file is smaller;
  // ResourceExhausted.
  static absl::StatusOr<Mapped> Of(int fd, std::uint64_t bytes);
  Mapped(Mapped&& other) noexcept { *this = std::move(other); }
  Mapped& operator=(Mapped&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapped();

  // A process that crashes does not write this memory to its core.
  void KeepOutOfCores();
  // Gives the memory back and keeps the addresses, so that nothing else is mapped there. They have
  // a private copy of up to kMostCopied bytes; more are zeros, and to write there is an error.
  void Vacate();
  static constexpr std::uint64_t kMostCopied = 64 << 10;

  std::byte* data() const { return at_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::byte* at_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Zeros, without a name in any file system, of a size that no process can change: so a
// process that maps this memory need not fear that it shrinks. Errors: ResourceExhausted, with
// `advice` where the limit of file sizes (ulimit -f) refuses so many bytes.
absl::StatusOr<OwnedFd> NewSharedMemory(std::uint64_t bytes,
                                        std::string_view advice = "ask for less memory");

// A file's size. Errors: the descriptor is not a file's.
absl::StatusOr<std::uint64_t> SizeOf(int fd);

}  // namespace llcl
