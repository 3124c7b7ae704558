// The copies of threadprivate variables, by the number of the thread: number 0 has the variable
// itself, and copies stay from one region to the next.
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/ompc/omp_regions.h"
#include "taskrt/ompc/team/team.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

// The copies of one variable. Threads: any.
class Copies {
 public:
  explicit Copies(const ompc_threadprivate& variable)
      : initial_(static_cast<const std::byte*>(variable.original),
                 static_cast<const std::byte*>(variable.original) + variable.bytes) {}

  // Precondition: 0 < number. No number has a copy twice at the same time, so that nobody else
  // makes it.
  void* Of(int number) {
    const auto index = static_cast<unsigned>(number);
    const auto bucket = static_cast<std::size_t>(std::bit_width(index) - 1);
    std::atomic<std::atomic<void*>*>& slots = buckets_[bucket];
    std::atomic<void*>* its = slots.load(std::memory_order_acquire);
    if (its == nullptr) its = MakeBucket(slots, std::size_t{1} << bucket);
    std::atomic<void*>& slot = its[index - (1U << bucket)];
    void* copy = slot.load(std::memory_order_acquire);
    if (copy == nullptr) {
      const topo::Lock lock(mutex_);
      copy = slot.load(std::memory_order_acquire);
      if (copy == nullptr) slot.store(copy = MakeCopy(), std::memory_order_release);
    }
    return copy;
  }

 private:
  std::atomic<void*>* MakeBucket(std::atomic<std::atomic<void*>*>& slots, std::size_t size) {
    const topo::Lock lock(mutex_);
    if (slots.load(std::memory_order_acquire) == nullptr) {
      slots.store(new std::atomic<void*>[size](), std::memory_order_release);
    }
    return slots.load(std::memory_order_acquire);
  }
  void* MakeCopy() const {
    void* const copy = ::operator new (initial_.size(), std::align_val_t{64});
    return std::memcpy(copy, initial_.data(), initial_.size());
  }

  const std::vector<std::byte> initial_;
  topo::Mutex mutex_;
  std::array<std::atomic<std::atomic<void*>*>, 31> buckets_{};
};

// By the variable. Several files may name the same one. Never freed: threads use them until the
// process ends. Programs' files call it before main, and before static objects here are made.
class AllCopies {
 public:
  static AllCopies& The() {
    static auto& all = *new AllCopies;
    return all;
  }
  Copies& Of(const ompc_threadprivate& variable) {
    const topo::Lock lock(mutex_);
    auto& copies = by_variable_[variable.original];
    if (copies == nullptr) copies = std::make_unique<Copies>(variable);
    return *copies;
  }

 private:
  topo::Mutex mutex_;
  std::map<void*, std::unique_ptr<Copies>> by_variable_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace
}  // namespace taskrt

void ompc_threadprivate_keep(ompc_threadprivate* variable) {
  std::atomic_ref(variable->copies)
      .store(&taskrt::AllCopies::The().Of(*variable), std::memory_order_release);
}

void* ompc_threadprivate_at(void* original, size_t bytes) {
  ompc_threadprivate variable = {original, bytes, nullptr};
  ompc_threadprivate_keep(&variable);
  return ompc_threadprivate_of(&variable);
}

void* ompc_threadprivate_of(ompc_threadprivate* variable) {
  const int number = taskrt::CopyNumber();
  if (number == 0) return variable->original;
  const std::atomic_ref<void*> copies(variable->copies);
  if (copies.load(std::memory_order_acquire) == nullptr) ompc_threadprivate_keep(variable);
  return static_cast<taskrt::Copies*>(copies.load(std::memory_order_acquire))->Of(number);
}
