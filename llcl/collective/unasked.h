// The bytes of parts that go by streams before their receivers are ready for them: so much a
// receiver may have to keep. They count until the receiver says that it has begun the rounds of
// their parts; it says so for many parts at once.
//
// Threads: any, all members, at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A resource: of the parts that this rank sends, and of its receipts.
class UnaskedBytes {
 public:
  static constexpr std::uint64_t kMost = 1 << 20;    // to a rank
  static constexpr std::uint64_t kTold = 256 << 10;  // of a rank, at once

  // False: too many are unasked already.
  [[nodiscard]] bool TryAdd(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& all = bytes_[to].sent;
    if (all + bytes > kMost) return false;
    all += bytes;
    return true;
  }
  // The same, of a part whose receiver is ready and counts it.
  void Add(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    bytes_[to].sent += bytes;
  }
  // Or all that are left.
  void Remove(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& all = bytes_[to].sent;
    all -= std::min(all, bytes);
  }
  // This rank begins the round of a part that the rank sends unasked. Returns for how many bytes to
  // say so to the rank now; 0: later.
  [[nodiscard]] std::uint64_t Begin(Rank from, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& all = bytes_[from].untold;
    all += bytes;
    return all < kTold ? 0 : std::exchange(all, 0);
  }

 private:
  topo::Mutex mutex_;
  struct OfRank {
    std::uint64_t sent = 0, untold = 0;
  };
  std::map<Rank, OfRank> bytes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl
