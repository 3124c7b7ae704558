// The bytes of parts that this rank sends by streams before their receivers are ready for them: so
// much a receiver may have to keep. Each receiver says when it is ready, and the bytes count until
// then.
//
// Threads: any, all members, at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/base/thread_annotations.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A resource.
class UnaskedBytes {
 public:
  static constexpr std::uint64_t kMost = 1 << 20;  // to a rank

  // False: too many are unasked already.
  [[nodiscard]] bool TryAdd(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& all = bytes_[to];
    if (all + bytes > kMost) return false;
    all += bytes;
    return true;
  }
  // Or all that are left.
  void Remove(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& all = bytes_[to];
    all -= std::min(all, bytes);
  }

 private:
  topo::Mutex mutex_;
  std::map<Rank, std::uint64_t> bytes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl
