// Address space that takes memory only where it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"

namespace dsm {

// A mapping, unmapped at the end; not there in children of a fork. A resource.
class Reserved {
 public:
  Reserved() = default;
  // Zeros, of this process alone.
  static absl::StatusOr<Reserved> Zeros(std::uint64_t bytes);
  // The shared memory `fd` at this very address; neither readable nor writable. Errors:
  // FailedPrecondition where something else is there.
  static absl::StatusOr<Reserved> SharedAt(std::uintptr_t address, int fd, std::uint64_t bytes);
  Reserved(Reserved&& other) noexcept { *this = std::move(other); }
  Reserved& operator=(Reserved&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Reserved();

  // A process that crashes does not write this memory to its core.
  void KeepOutOfCores();

  // Zeros again; memory of whole system pages is given back. Of Zeros only.
  void Clear(std::uint64_t first, std::uint64_t last);

  std::byte* data() const { return at_; }
  std::uint64_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(at_);
  }

 private:
  std::byte* at_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace dsm
