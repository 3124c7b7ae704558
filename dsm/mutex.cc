#include "dsm/mutex.h"

#include <sched.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"

namespace dsm {
namespace {

constexpr int kYields = 32;  // then it sleeps in between
constexpr std::chrono::microseconds kShortest{20}, kLongest{2'000};

}  // namespace

absl::StatusOr<Mutex> Mutex::Make(Space& space, int home) {
  const auto memory = space.Allocate({{1}, sizeof(std::uint64_t)}, OnRank{home});
  if (!memory.ok()) return memory.status();
  return Mutex(space, reinterpret_cast<std::uint64_t*>(memory->data()));
}

absl::Status Mutex::Lock() {
  const auto self = static_cast<std::uint64_t>(space_->rank()) + 1;
  std::chrono::microseconds pause = kShortest;
  for (int attempts = 0;; ++attempts) {
    const auto before = space_->Atomic<std::uint64_t>(word_, llcl::AtomicOp::kCompareSwap, self, 0);
    if (!before.ok()) return before.status();
    if (*before == 0) {
      absl::Status acquired = space_->Acquire();
      // Others must not wait for who has failed.
      if (!acquired.ok()) {
        (void)space_->Atomic<std::uint64_t>(word_, llcl::AtomicOp::kSwap, 0);
      }
      return acquired;
    }
    const int holder = static_cast<int>(*before - 1);
    if (space_->IsGone(holder)) {
      return absl::UnavailableError(absl::StrCat("rank ", holder, " is gone and holds the lock"));
    }
    if (attempts < kYields) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongest);
    }
  }
}

absl::Status Mutex::Unlock() {
  if (const absl::Status released = space_->Release(); !released.ok()) return released;
  return space_->Atomic<std::uint64_t>(word_, llcl::AtomicOp::kSwap, 0).status();
}

}  // namespace dsm
