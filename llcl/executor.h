// Requester, executor and completer: the paper's three modules around one device.
//
//   many threads --TryPost--> ring --Advance--> device --Advance--> completions
//
// The requester is TryPost, run by who asks: it takes a tag and hands the command
// on. The executor posts to the device what the ring holds, the completer polls the
// device and tells who waits; both are Advance, run under one lock by the progress
// thread, or by who waits. In which way a command gets to the device is the mode.
//
// Threads: TryPost, TryAdvance and Close by any.
// Order: as ring.h and completion.h.
// Progress: TryPost never waits: it refuses, or takes the lock only if it is free.
//
// Source: [ET17] sections 3.2 to 3.5.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "llcl/command.h"
#include "llcl/device.h"
#include "llcl/ring.h"
#include "llcl/tags.h"
#include "topo/atomic.h"

namespace llcl {

// What became of a request.
enum class Posted : std::uint8_t {
  kPosted,    // its completion will be told, or was
  kFull,      // the ring is full: try again after something else
  kNoTag,     // too many operations are in flight: likewise
  kPeerDown,  // the other rank is gone
  kBadRange,  // the addresses do not lie in their regions, or a region is not registered
  kClosing,   // the endpoint is being closed
};

enum class Mode : std::uint8_t {
  kOffload,  // the paper's: always through the ring, to the progress thread
  kDirect,   // the caller posts, waiting for the device's lock; who waits polls
  kHybrid,   // the caller posts where the ring is empty and the lock is free, else the ring
};

// How a progress thread that has nothing to do waits: it spins, lets others run,
// then sleeps in the kernel. A value.
struct IdlePolicy {
  int spins = 50;
  int yields = 200;
};

struct ExecutorOptions {
  Mode mode = Mode::kHybrid;
  std::size_t ring = 1024;  // commands; a power of two
  Tag tags = 4096;          // operations in flight
  IdlePolicy idle;
  bool has_thread = true;  // false: somebody calls TryAdvance often enough
};

// Counted by the executor; read by anybody.
struct ExecutorCounts {
  std::uint64_t posted_by_callers = 0;
  std::uint64_t posted_from_ring = 0;
  std::uint64_t batches = 0;  // of those from the ring
  std::uint64_t sleeps = 0;
  std::uint64_t wakings = 0;  // by callers
};

// A resource. `device` outlives it.
class Executor {
 public:
  Executor(Device& device, const ExecutorOptions& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Gives `command` a tag and hands it on; `then` is told at its end, unless the
  // result is another than kPosted.
  [[nodiscard]] Posted TryPost(Command command, Completion then);

  // Posts and polls, if nobody else does so now. True if there was something to do.
  bool TryAdvance();

  // Operations that were accepted and have not ended.
  std::uint64_t in_flight() const;

  // From here on TryPost says kClosing; returns when all that was accepted has
  // ended. Then the thread ends.
  void Close();

  ExecutorCounts counts() const;

 private:
  static constexpr std::size_t kBatch = 64;

  class Lock {
   public:
    bool TryTake() {
      return held_.Load(std::memory_order_relaxed) == 0 &&
             held_.Exchange(1, std::memory_order_acquire) == 0;
    }
    void Take() {
      while (!TryTake()) held_.WaitWhile(1);
    }
    void Release() { held_.Store(0, std::memory_order_release); }

   private:
    topo::Atomic<int> held_{0};
  };

  bool TryPostHere(const Command& command);
  bool Advance(std::array<Ended, kBatch>& ended, std::size_t& count);  // under lock_
  void Tell(const Ended* ended, std::size_t count);
  void Serve();
  void SleepUntilWork();
  void Wake();

  Device& device_;
  const ExecutorOptions options_;
  BasicRing<topo::Atomic, Command> ring_;
  BasicTags<topo::Atomic> tags_;
  std::vector<Completion> completions_;  // by tag; written before the command is handed on
  topo::Atomic<int> closing_{0};
  alignas(64) topo::Atomic<std::uint64_t> accepted_{0};
  alignas(64) topo::Atomic<std::uint64_t> ended_{0};
  topo::Atomic<std::uint64_t> posted_by_callers_{0};
  topo::Atomic<std::uint64_t> wakings_{0};

  alignas(64) Lock lock_;
  // Under lock_: popped from the ring and not yet taken by the device.
  std::array<Command, kBatch> batch_;
  std::size_t batch_first_ = 0, batch_end_ = 0;
  topo::Atomic<std::uint64_t> posted_from_ring_{0};
  topo::Atomic<std::uint64_t> batches_{0};
  topo::Atomic<std::uint64_t> sleeps_{0};

  int doorbell_ = -1;  // an eventfd
  topo::Atomic<int> stopping_{0};
  std::thread thread_;
};

}  // namespace llcl
