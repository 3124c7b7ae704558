// The product by lightweight threads, on a pool of real workers or of simulated
// ones.
#pragma once

#include "apps/matmul/workers/workers.h"
#include "lwt/lwt.h"

namespace matmul {

// The tasks of sgemm::Multiply but for the leaves: full threads that carry their
// depth, two for every pair of halves as in the paper's source 1.
struct Threads {
  int spawn_depth;

  template <typename F, typename G>
  void Both(int depth, F&& f, G&& g) {
    if (depth > spawn_depth) {
      f();
      g();
      return;
    }
    lwt::Thread first = lwt::SpawnWithHint(depth, f);
    lwt::Thread second = lwt::SpawnWithHint(depth, g);
    first.Join();
    second.Join();
  }
};

// For a pool of so many workers.
lwt::AnyPolicy PolicyOf(const StealRule& rule, int workers);

// The work of its workers since the pool was created.
Work WorkOf(const lwt::Pool& pool);

}  // namespace matmul
