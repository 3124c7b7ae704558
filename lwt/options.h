// What a pool is made of: how many workers, of which kind, with which stacks and which policy.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "lwt/policy.h"
#include "lwt/simulation.h"
#include "topo/topo.h"

namespace lwt {

// How threads wait for I/O (io.h).
enum class IoBackend {
  kEpoll,      // until a descriptor is ready, by epoll; ordinary files hold up the worker
  kIoUring,    // for operations that the kernel does meanwhile, on ordinary files too
  kAutomatic,  // io_uring where the kernel has it, else epoll
};

// A value.
struct PoolOptions {
  // 0: as many as this machine runs at once (topo's default_threads).
  int workers = 0;
  // Address space of each thread's stack, 16 KiB to 64 GiB (its guard comes on top of
  // it); memory is used as it is touched, page by page. 0: kDefaultStackBytes, or the default of a
  // library that makes the pool.
  std::size_t stack_bytes = 0;
  AnyPolicy policy = RandomVictim();
  // Which PUs the workers are pinned to. kNone: the system decides, which on a
  // machine shared with others is the best.
  topo::Policy placement = topo::Policy::kNone;
  // So often a worker without work looks for some before it sleeps, 1 to 1,000,000; a look and the
  // pause behind it take some tenths of a microsecond. More wakes faster and burns more of the
  // processor; fewer is best where there are more workers than processors.
  int looks_before_sleep = 100;
  // Of the workers' random numbers and of the simulation's.
  std::uint64_t seed = 1;
  // How many events of its own each worker keeps (trace.h), up to 2^28; 0: none.
  std::size_t trace_events = 0;
  // May OS threads outside of the pool, later calls of Run among them, wake threads
  // that wait for a mutex, a condition variable, a barrier, an event, a channel, ...?
  // If not, threads that all wait for each other there end the program with a
  // list of them, as threads that all join each other always do. A wait with a
  // deadline or for I/O is no deadlock.
  bool woken_from_outside = true;
  // If woken_from_outside: after so long in a call of Run in which nothing could run and no
  // thread waited with a deadline or for I/O, the list is printed, once, and the pool goes on
  // waiting. So are, once in a pool, whatever woken_from_outside, the workers that a thread has
  // held so long as it waited in the kernel without being suspended, as at a std::mutex, where the
  // other workers had nothing to run; OS threads that wait in Run look for them. Simulated workers
  // are not looked at. 0: neither.
  std::chrono::nanoseconds stall_report_after = std::chrono::seconds(2);
  // Virtual workers instead of OS threads. On these, either is a
  // Deadlock.
  std::optional<SimulationOptions> simulation = {};
  // Simulated workers do no I/O. kIoUring is refused where the kernel has none for us, with why.
  IoBackend io_backend = IoBackend::kEpoll;
  // The workers are OS threads of the program's own, while these are guests of the pool (guest.h):
  // the pool starts none, so that nothing runs on a worker without a guest. Not with `simulation`,
  // nor with a `placement`.
  bool has_guests = false;
};

// It holds functions of libraries that recurse, as std::regex_search of 500 characters.
inline constexpr std::size_t kDefaultStackBytes = 256 << 10;
// The least and the most of PoolOptions::stack_bytes: smaller stacks hold no thread, and several
// larger ones do not fit in the address space.
inline constexpr unsigned long long kLeastStackBytes = 16 << 10;
inline constexpr unsigned long long kMostStackBytes = 1ull << 36;

// InvalidArgument, with the field and its value, for options of which no pool can be made.
absl::Status CheckOptions(const PoolOptions& options);

}  // namespace lwt
