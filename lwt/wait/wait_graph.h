// Which threads of a pool wait for each other: the lock of the edges, which lie in the threads'
// descriptors (kernel/owner.h).
#pragma once

#include <cstdint>

#include "lwt/machine/atomic.h"
#include "topo/spin_lock.h"

namespace lwt {

// A resource of a pool.
struct WaitGraph {
  topo::BasicSpinLock<Atomic> lock;     // held while edges are changed or followed
  Atomic<std::int64_t> mutex_waits{0};  // threads that wait for mutexes
};

}  // namespace lwt
