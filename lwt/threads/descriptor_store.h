// The descriptors of a pool's threads: made in blocks, handed out and taken back in batches, and
// freed with the pool.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/threads/debugger.h"
#include "lwt/threads/descriptor.h"
#include "topo/mutex.h"

namespace lwt {

struct PoolShared;

// A resource of a pool.
class DescriptorStore {
 public:
  explicit DescriptorStore(PoolShared& pool) : pool_(pool) {}
  DescriptorStore(const DescriptorStore&) = delete;
  DescriptorStore& operator=(const DescriptorStore&) = delete;

  // As many as there is memory for, at most `count`.
  std::vector<Descriptor*> Take(int count);
  // A list by Descriptor::next_free.
  void GiveBack(Descriptor* list);

  // Calls `f(descriptor)` for each that was ever made.
  template <typename F>
  void ForEach(F f) const {
    const topo::Lock lock(mutex_);
    for (const auto& block : blocks_) {
      for (std::size_t i = 0; i < kBlock; ++i) f(static_cast<const Descriptor&>(block[i]));
    }
  }

 private:
  static constexpr std::size_t kBlock = 64;  // descriptors made at once

  void AddBlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  PoolShared& pool_;
  DebuggerEntry debugger_entry_;
  mutable topo::Mutex mutex_;
  std::vector<std::unique_ptr<Descriptor[]>> blocks_ ABSL_GUARDED_BY(mutex_);
  Descriptor* free_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace lwt
