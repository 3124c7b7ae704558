// A worker as others see it: the tail of its run queue.
//
// Threads: on any worker of the pool; Put by any thread. Source: [NNT13] section 3.4.
#pragma once

#include <exception>
#include <optional>
#include <span>

#include "lwt/kernel/scheduler.h"

namespace lwt {

// A value.
class Victim {
 public:
  // Adds a thread at the tail. Never fails.
  void Put(ReadyThread thread) const;

  // Takes the thread at the tail; empty if there is none or another thief is at
  // it.
  ReadyThread Take() const;

  // Takes it if `wanted(thread)`, which runs with the tail held and must be short.
  // Records (fork_join.h) are not asked about and stay. What `wanted` throws leaves
  // TakeIf, and the thread stays where it is.
  template <typename Wanted>
  ReadyThread TakeIf(Wanted wanted) const;

  // A copy of the hint at the tail, without a lock; nullopt where the queue is
  // empty or the hint is of another size (sizes up to four bytes count as one, and
  // those up to eight). It may be stale when it arrives, but it is a hint that some
  // thread had.
  template <Hint T>
  std::optional<T> Peek() const {
    T hint{};
    if (!PeekBytes(std::as_writable_bytes(std::span(&hint, 1)))) return std::nullopt;
    return hint;
  }

  // How many threads a thief may hope for; a moment later it may be another number.
  std::int64_t size() const;

  // As Peek, for hints of any size: copies what fits, `bytes` is its size.
  // Returns the thread at the tail (nothing of it may be used), null where there is
  // none or its hint is being written.
  Descriptor* PeekThread(std::span<std::byte> hint, std::size_t& bytes) const;

 private:
  friend class Worker;
  explicit Victim(Scheduler& scheduler) : scheduler_(&scheduler) {}
  void CheckThief(const char* call) const;
  ReadyThread Taken(lwt::Take result, const Entry& entry) const;
  bool PeekBytes(std::span<std::byte> hint) const;
  bool CopyHint(std::span<std::byte> hint) const;
  void Peeked() const;
  Scheduler* scheduler_;
};

template <typename Wanted>
ReadyThread Victim::TakeIf(Wanted wanted) const {
  Entry entry;
  CheckThief("Victim::TakeIf");
  std::exception_ptr error;
  const lwt::Take result = scheduler_->ready().queue().TakeIf(entry, [&](const Entry& found) {
    if (IsRecord(found.item)) return false;
    try {
      return static_cast<bool>(wanted(ThreadOf(found.item)));
    } catch (...) {
      error = std::current_exception();  // Thrown once the tail is free again.
      return false;
    }
  });
  if (error != nullptr) std::rethrow_exception(error);
  return Taken(result, entry);
}

}  // namespace lwt
