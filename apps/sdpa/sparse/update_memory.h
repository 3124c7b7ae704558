// Memory for the updates of a multifrontal factorization, which come and go by thousands: pages
// that the system gives anew would take a fifth of the time.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace sdpa {

// A resource; its pieces must be gone before it. Large pieces that are given back are kept, for
// others of about their size, as long as no more is held than once was used at a time.
class UpdateMemory {
  struct Return {
    UpdateMemory* memory = nullptr;
    std::size_t elements = 0;
    void operator()(double* piece) const { memory->GiveBack(piece, elements); }
  };

 public:
  using Piece = std::unique_ptr<double[], Return>;

  // At least so many elements, not set. Errors: std::bad_alloc.
  Piece Take(std::size_t elements);

  // Elements of large pieces: in use and kept, and the most in use at a time.
  std::size_t held();
  std::size_t most_used();

 private:
  void GiveBack(double* piece, std::size_t elements);
  void AddUsed(std::size_t elements) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  topo::Mutex mutex_;
  std::multimap<std::size_t, std::unique_ptr<double[]>> kept_
      ABSL_GUARDED_BY(mutex_);  // by elements
  std::size_t kept_elements_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t most_used_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace sdpa
