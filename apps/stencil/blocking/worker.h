// What one thread of a rank does with planes. The blockings (blockings.h) say what is done with
// which planes; a worker does it (space_rank.cc), or notes what it would take (recorder.cc).
//
// Threads: each has its own.
#pragma once

#include <cstdint>
#include <span>

#include "apps/stencil/problem/problem.h"
#include "apps/stencil/sweep/kernel.h"
#include "apps/stencil/sweep/time_block.h"

namespace stencil {

class Worker {
 public:
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int thread() const { return thread_; }
  int threads() const { return threads_; }  // that work side by side

  // time_block.h.
  virtual void Advance(const TimeBlock& block, std::span<const Box> boxes) = 0;
  virtual void TakePlanes(Slab planes, Planes (&between)[2]) = 0;
  // Rows of a plane to the same rows of another.
  virtual void CopyRows(Planes from, std::uint64_t from_plane, Planes to, std::uint64_t to_plane,
                        Slab rows) = 0;

 protected:
  Worker(int thread, int threads) : thread_(thread), threads_(threads) {}

 private:
  const int thread_, threads_;
};

}  // namespace stencil
