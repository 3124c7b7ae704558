// lwt: lightweight threads whose scheduling the user writes.
//
// One header a concept, from the outside in:
//
//   pool.h           workers, and the way into them; options.h: what they are made of
//   spawn.h          threads that run, and threads that wait to be scheduled
//   stoppable_thread.h     threads that can be asked to stop, by std::stop_token
//   thread.h         joining, yielding, the thread's own hint
//   fork_join.h      two calls at once at the price of a call
//   task_group.h     any number of forked calls, joined together
//   parallel.h       loops and reductions
//   parallel_scan.h  prefix sums; parallel_sort.h: sorting by integer keys
//   worker_local.h   a value a worker
//   mutex.h          a lock
//   condition_variable.h   until something that a mutex guards has changed
//   barrier.h        a number of threads wait for each other, round after round
//   event.h          something that happens once, set by any OS thread
//   latch.h          a number of things that happen, once
//   once.h           a call that is made once, by the first thread that wants it
//   join_counter.h   a number of decrements, round after round, for one waiter
//   cell.h           a variable that is full or empty
//   channel.h        a bounded queue
//   timer.h          sleeping, and waiting no longer than until a moment
//   io.h             reading, writing, accepting, connecting, polling
//   policy.h         where an idle worker looks for work
//   policies.h       the policies that come with lwt
//   simulation.h     virtual workers: any number, one OS thread, a seed
//   worker.h         a worker's own run queue: push, pop
//   victim.h         any worker's run queue: put, take, peek
//   waiter.h         a thread that waits, and its waking
//   suspend.h        suspend and resume, on which all that blocks is built
//   contract.h       what a caller must keep to, checked
//   counters.h       what a worker has done; trace.h: and when
//
// Source: [NNT13] Nakashima, Nakatani, Taura: Lightweight thread library that can
// customize the scheduling policy. IPSJ SIG HPC, 2013.
#pragma once

#include "lwt/barrier.h"             // IWYU pragma: export
#include "lwt/cell.h"                // IWYU pragma: export
#include "lwt/channel.h"             // IWYU pragma: export
#include "lwt/condition_variable.h"  // IWYU pragma: export
#include "lwt/contract.h"            // IWYU pragma: export
#include "lwt/counters.h"            // IWYU pragma: export
#include "lwt/event.h"               // IWYU pragma: export
#include "lwt/fork_join.h"           // IWYU pragma: export
#include "lwt/io.h"                  // IWYU pragma: export
#include "lwt/join_counter.h"        // IWYU pragma: export
#include "lwt/latch.h"               // IWYU pragma: export
#include "lwt/mutex.h"               // IWYU pragma: export
#include "lwt/once.h"                // IWYU pragma: export
#include "lwt/options.h"             // IWYU pragma: export
#include "lwt/parallel.h"            // IWYU pragma: export
#include "lwt/parallel_scan.h"       // IWYU pragma: export
#include "lwt/parallel_sort.h"       // IWYU pragma: export
#include "lwt/policies.h"            // IWYU pragma: export
#include "lwt/policy.h"              // IWYU pragma: export
#include "lwt/pool.h"                // IWYU pragma: export
#include "lwt/ready_thread.h"        // IWYU pragma: export
#include "lwt/simulation.h"          // IWYU pragma: export
#include "lwt/spawn.h"               // IWYU pragma: export
#include "lwt/stoppable_thread.h"    // IWYU pragma: export
#include "lwt/suspend.h"             // IWYU pragma: export
#include "lwt/task_group.h"          // IWYU pragma: export
#include "lwt/thread.h"              // IWYU pragma: export
#include "lwt/timer.h"               // IWYU pragma: export
#include "lwt/trace.h"               // IWYU pragma: export
#include "lwt/version.h"             // IWYU pragma: export
#include "lwt/victim.h"              // IWYU pragma: export
#include "lwt/waiter.h"              // IWYU pragma: export
#include "lwt/worker.h"              // IWYU pragma: export
#include "lwt/worker_local.h"        // IWYU pragma: export
