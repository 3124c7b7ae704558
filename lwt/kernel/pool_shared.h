// The parts of a pool that its workers share. The pool's OS threads and its watchers of I/O are in
// pool.h.
//
// Threads: any, as each part says.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "lwt/contract.h"
#include "lwt/machine/process.h"
#include "lwt/machine/stack.h"
#include "lwt/queue/idle.h"
#include "lwt/threads/descriptor.h"
#include "lwt/threads/descriptor_store.h"
#include "lwt/wait/detached_threads.h"
#include "lwt/wait/outside_threads.h"
#include "lwt/wait/timers.h"
#include "lwt/wait/wait_graph.h"

namespace lwt {

class DeadlockWatch;
class Scheduler;
class Simulator;

// A resource of a pool, which outlives the workers.
struct PoolShared {
  explicit PoolShared(std::size_t stack_bytes) : stacks(stack_bytes) {}

  int workers() const { return static_cast<int>(schedulers.size()); }
  // Precondition: 0 <= worker < workers().
  Scheduler& scheduler(int worker) const {
    CheckContract(worker >= 0 && worker < workers(), "a pool's workers have numbers from 0");
    return *schedulers[static_cast<std::size_t>(worker)];
  }

  bool is_stopping() const { return stopping.load(std::memory_order_acquire); }
  bool is_of_parent_process() const { return generation != ProcessGeneration(); }

  // Where work is searched, or the pool's locks are taken: a child that one of the pool's threads
  // forked has that thread alone, and workers that are not there may hold the locks for ever.
  void CheckHasWorkers() const {
    CheckContract(simulator != nullptr || !is_of_parent_process(),
                  "a child of fork(2) that a pool's thread forked must call exec or _exit, and may "
                  "not wait or start threads: the pool's workers are not in the child");
  }

  void TakeBack(Stack& stack) {
    Stack* one = &stack;
    stacks.GiveBack({&one, 1});
  }
  void TakeBack(Descriptor& thread) {
    thread.next_free = nullptr;
    descriptors.GiveBack(&thread);
  }

  const int generation = ProcessGeneration();
  const std::chrono::steady_clock::time_point made = std::chrono::steady_clock::now();
  Idle idle;
  Timers timers{idle};
  WaitGraph wait_graph;
  StackSlabs stacks;
  DescriptorStore descriptors{*this};
  OutsideThreads outside;
  DetachedThreads detached;
  std::atomic<bool> stopping{false};

  // Given by the pool before a worker runs, and the same from then on.
  bool has_guests = false;             // its workers are guests (guest.h)
  std::vector<Scheduler*> schedulers;  // by worker
  Simulator* simulator = nullptr;      // null: real workers
  DeadlockWatch* deadlocks = nullptr;
  // Wakes the threads whose I/O is done: by workers that have nothing to run. Empty: the kernel
  // completes no operations for the pool (PoolOptions::io_backend).
  std::function<void()> reap_io;
};

}  // namespace lwt
