// Vectors of one length that matrices leave to those that come after them: a large vector from the
// heap is pages that the kernel sets to zero one by one, which takes as long as a sum of matrices.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "topo/mutex.h"

namespace sdpa {

// A resource.
template <typename Real>
class SpareVectors {
 public:
  // Of any elements.
  std::vector<Real> Take(std::size_t length) {
    {
      const topo::Lock lock(mutex_);
      if (!spare_.empty()) {
        std::vector<Real> vector = std::move(spare_.back());
        spare_.pop_back();
        return vector;
      }
    }
    return std::vector<Real>(length);
  }

  // All vectors are as long.
  void Leave(std::vector<Real> vector) {
    const topo::Lock lock(mutex_);
    spare_.push_back(std::move(vector));
  }

  void Free() {
    const topo::Lock lock(mutex_);
    spare_.clear();
  }

 private:
  topo::Mutex mutex_;
  std::vector<std::vector<Real>> spare_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sdpa
