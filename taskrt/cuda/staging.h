// Pinned host memory, through which copies go: from other memory CUDA's copies would hold up the
// calling thread.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "taskrt/cuda/driver.h"
#include "topo/mutex.h"

namespace taskrt::cuda {

// A resource. What was taken is given back before its end.
class Staging {
 public:
  explicit Staging(const Driver& driver) : driver_(driver) {}
  ~Staging() {
    for (const auto& [bytes, spare] : spare_) {
      for (void* const memory : spare) driver_.MemFreeHost(memory);
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // The device's context is current.
  absl::StatusOr<std::byte*> Take(std::uint64_t bytes) {
    {
      const topo::Lock lock(mutex_);
      if (std::vector<void*>& spare = spare_[bytes]; !spare.empty()) {
        void* const memory = spare.back();
        spare.pop_back();
        return static_cast<std::byte*>(memory);
      }
    }
    void* memory = nullptr;
    const Result made = driver_.MemHostAlloc(&memory, bytes, kHostAllocPortable);
    if (made != kSuccess) return ErrorOf(driver_, made, "pinning host memory");
    return static_cast<std::byte*>(memory);
  }
  void GiveBack(std::byte* memory, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    spare_[bytes].push_back(memory);
  }

 private:
  const Driver& driver_;
  topo::Mutex mutex_;
  std::map<std::uint64_t, std::vector<void*>> spare_ ABSL_GUARDED_BY(mutex_);  // by size
};

}  // namespace taskrt::cuda
