// Objects that a runtime's tasks may still refer to, and that nobody else has any more: kernels and
// results whose owners have ended before the tasks (typed.h).
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/language.h"
#include "topo/mutex.h"

namespace taskrt {

class TaskCounts;

// A resource: one of a runtime.
class Kept {
 public:
  explicit Kept(std::shared_ptr<const TaskCounts> counts) : counts_(std::move(counts)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  // Until all tasks that were submitted so far have ended: then until a Runtime::Wait, a Keep while
  // no task is outstanding, or the runtime's end.
  void Keep(std::shared_ptr<const void> object);
  // The caller destroys them when those tasks have ended.
  std::vector<std::shared_ptr<const void>> TakeAll() {
    const topo::Lock lock(mutex_);
    return std::exchange(objects_, {});
  }

  // No other has had it, nor will.
  std::uint64_t number() const { return number_; }

 private:
  static std::uint64_t NewNumber() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const std::shared_ptr<const TaskCounts> counts_;
  const std::uint64_t number_ = NewNumber();
  topo::Mutex mutex_;
  std::vector<std::shared_ptr<const void>> objects_ ABSL_GUARDED_BY(mutex_);
};

// The runtimes whose tasks may refer to an object. Threads: any, but for the destruction, which is
// for one.
class KeptBy {
 public:
  KeptBy() = default;
  KeptBy(const KeptBy&) = delete;
  KeptBy& operator=(const KeptBy&) = delete;

  void Add(const std::shared_ptr<Kept>& kept) {
    if (newest_.load(std::memory_order_acquire) == kept->number()) [[likely]] {
      return;
    }
    const topo::Lock lock(mutex_);
    std::erase_if(all_, [&](const std::weak_ptr<Kept>& one) {
      const std::shared_ptr<Kept> other = one.lock();
      return other == nullptr || other == kept;
    });
    all_.push_back(kept);
    newest_.store(kept->number(), std::memory_order_release);
  }
  // The owner ends: each of these runtimes that is still there keeps the object.
  void LeaveTo(const std::shared_ptr<const void>& object) {
    const topo::Lock lock(mutex_);
    for (const std::weak_ptr<Kept>& one : all_) {
      if (const std::shared_ptr<Kept> kept = one.lock()) kept->Keep(object);
    }
    all_.clear();
  }

 private:
  std::atomic<std::uint64_t> newest_{0};
  topo::Mutex mutex_;
  std::vector<std::weak_ptr<Kept>> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
