#include "apps/matmul/workers/remembered_depths.h"

#include <climits>
#include <cstddef>
#include <optional>

namespace matmul {

RememberedDepths::RememberedDepths(int workers, int candidates)
    : candidates_(candidates),
      depths_(std::make_shared<std::vector<std::atomic<int>>>(static_cast<std::size_t>(workers))) {
  for (std::atomic<int>& depth : *depths_) depth = kNone;
}

lwt::ReadyThread RememberedDepths::Steal(lwt::Worker& self) const {
  int best = -1;
  int least = INT_MAX;
  for (int i = 0; i < candidates_; ++i) {
    const int other = self.RandomPeer();
    if (other == self.index()) continue;
    const lwt::Victim victim = self.victim(other);
    // Relaxed: a thief that reads an old depth is as wrong as the policy is anyway.
    std::atomic<int>& remembered = (*depths_)[static_cast<std::size_t>(other)];
    int depth = victim.size() == 0 ? kNone : remembered.load(std::memory_order_relaxed);
    if (depth == kNone && victim.size() > 0) {
      const std::optional<int> peeked = victim.Peek<int>();
      depth = peeked.value_or(0);  // The root has no hint.
    }
    remembered.store(depth, std::memory_order_relaxed);
    if (depth == kNone || depth >= least) continue;
    best = other;
    least = depth;
  }
  return best < 0 ? lwt::ReadyThread() : self.victim(best).Take();
}

}  // namespace matmul
