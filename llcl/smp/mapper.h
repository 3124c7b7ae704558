// Maps other ranks' memory, on a thread of its own: the door of a stopped rank does not answer,
// and a thread that has other work must not wait for it.
//
// Threads: Ask and TryTake by one thread at a time.
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "llcl/region.h"
#include "llcl/shared_memory.h"
#include "topo/mutex.h"

namespace llcl {

// A resource.
class SmpMapper {
 public:
  // `doorbell`: an eventfd, rung when TryTake has something; it outlives the mapper.
  SmpMapper(std::string secret, int doorbell) : secret_(std::move(secret)), doorbell_(doorbell) {}
  // Returns within some tenths of a second.
  ~SmpMapper();
  SmpMapper(const SmpMapper&) = delete;
  SmpMapper& operator=(const SmpMapper&) = delete;

  // The numbers of memory at its owner's door: of a region that is shared by a descriptor, and of a
  // chunk (mapped_regions.h). Regions have generations from 1 on.
  static std::uint64_t NumberOf(RegionId id) {
    return static_cast<std::uint64_t>(id.generation) << 32 | id.slot;
  }
  static std::uint64_t NumberOfChunk(std::uint64_t chunk) { return chunk; }

  // Asks for memory of `rank`, whose door is at `address`.
  void Ask(Rank rank, const std::string& address, std::uint64_t number);

  // NotFound: there is no such memory any more. ResourceExhausted: no room for it here, for
  // now. Any other: no answer.
  struct Found {
    Rank rank{};
    std::uint64_t number = 0;
    absl::StatusOr<Mapped> memory;
  };
  std::optional<Found> TryTake();
  bool has_found() const { return found_count_.load(std::memory_order_acquire) > 0; }

 private:
  struct Question {
    Rank rank{};
    std::string address;
    std::uint64_t number = 0;
  };

  void Start();
  void Serve();
  void Report(Found found) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Mapped> Map(const Question& question);

  const std::string secret_;
  const int doorbell_;
  std::atomic<int> found_count_{0};
  topo::Mutex mutex_;
  topo::ConditionVariable news_;
  std::deque<Question> asked_ ABSL_GUARDED_BY(mutex_);
  std::deque<Found> found_ ABSL_GUARDED_BY(mutex_);
  bool is_closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // from the first question on
};

}  // namespace llcl
