// Requester, executor and completer: the paper's three modules around one device.
//
//   many threads --TryPost--> ring --TryAdvance--> device --TryAdvance--> completions
//
// The requester is TryPost, run by the caller: it takes a tag and hands the command
// on. There may be several rings, the lanes, each for a part of the threads. The executor posts to
// the device what the ring holds, the completer polls the device and calls completions; both are
// TryAdvance, run under one lock by the progress thread or by a waiting thread. The mode decides
// how a command gets to the device.
//
// Every operation that was accepted completes in bounded time, whatever the network
// does: at its deadline at the latest, or soon after its peer is known to be gone.
//
// Threads: TryPost, TryAdvance, Abort and Close by any.
// Order: as ring.h and completion.h.
// Progress: TryPost waits for a lock in the mode kDirect only.
//
// Source: [ET17] sections 3.2 to 3.5.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "llcl/executor/batches.h"
#include "llcl/executor/command.h"
#include "llcl/executor/counters.h"
#include "llcl/executor/device.h"
#include "llcl/executor/host.h"
#include "llcl/executor/idle_policy.h"
#include "llcl/executor/in_flight.h"
#include "llcl/executor/lanes.h"
#include "llcl/executor/operations.h"
#include "llcl/executor/overdue_scan.h"
#include "llcl/executor/progress_thread.h"
#include "llcl/executor/sleeper.h"
#include "llcl/executor/step_results.h"
#include "topo/atomic.h"
#include "topo/spin_lock.h"

namespace llcl {

// The result of a request.
enum class Posted : std::uint8_t {
  kPosted,    // its completion will be called, or was
  kFull,      // the ring is full: try again after other work
  kNoTag,     // too many operations are in flight: try again after other work
  kPeerDown,  // the other rank is lost
  kLeft,      // the other rank has ended its endpoint
  kBadRange,  // the addresses do not lie in their regions, or a region is not registered
  kTooLong,   // more bytes than a message has
  kClosing,   // the endpoint is being closed
  kDone,  // with Outcome::kDone, and its completion is not called: only with Notify::kUnlessDone
};

// As in a sentence: "no tag".
constexpr std::string_view ToString(Posted posted) {
  switch (posted) {
    case Posted::kPosted:
      return "posted";
    case Posted::kFull:
      return "full";
    case Posted::kNoTag:
      return "no tag";
    case Posted::kPeerDown:
      return "peer down";
    case Posted::kLeft:
      return "left";
    case Posted::kBadRange:
      return "bad range";
    case Posted::kTooLong:
      return "too long";
    case Posted::kClosing:
      return "closing";
    case Posted::kDone:
      return "done";
  }
  return "?";
}

// Is the same request accepted later, when there is room for it?
constexpr bool IsForNow(Posted refused) {
  return refused == Posted::kFull || refused == Posted::kNoTag;
}

// How an operation has ended that is done at once, or was refused, and not for now.
constexpr Outcome OutcomeOf(Posted posted) {
  switch (posted) {
    case Posted::kDone:
      return Outcome::kDone;
    case Posted::kPeerDown:
      return Outcome::kPeerDown;
    case Posted::kLeft:
      return Outcome::kLeft;
    case Posted::kBadRange:
    case Posted::kTooLong:
      return Outcome::kRefused;
    default:
      return Outcome::kAborted;
  }
}

enum class Mode : std::uint8_t {
  kOffload,  // the paper's: always through the ring, to the progress thread
  kDirect,   // the caller posts, waiting for the device's lock; a waiting thread polls
  kHybrid,   // the caller posts if the ring is empty and the lock free, else pushes to the ring
};

struct ExecutorOptions {
  Mode mode = Mode::kHybrid;
  std::size_t ring = 1024;  // commands; a power of two
  // Rings: a thread keeps to one of them. More than one spares many threads that all
  // post to a fast device the fight for a ring's tail.
  std::size_t lanes = 1;
  Tag tags = 4096;  // operations in flight
  IdlePolicy idle = {};
  bool has_thread = true;                      // false: the program calls TryAdvance often enough
  std::function<void()> on_thread_start = {};  // called by the progress thread: to bind it
};

// A resource. `device` and `host` (or null) outlive it.
class Executor {
 public:
  Executor(Device& device, const ExecutorOptions& options, Host* host = nullptr);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  // Starts the progress thread, if options have one; the thread calls `host`.
  void Start();

  // Gives `command` a tag and hands it on. If the result is kPosted, `then` is called at
  // the command's end, with kLate after `most_ms` (0: never) and some ten milliseconds more, or
  // some hundred where no thread waits. `released` is called when the device no longer uses the
  // command's memory: with `then` or after it, and with kDone only if the command was done.
  [[nodiscard]] Posted TryPost(Command command, Completion then, std::uint32_t most_ms = 0,
                               Completion released = {});

  // Calls f(), which uses the device, when no other thread does so; then wakes the progress thread
  // where the device has to be polled.
  void UseDevice(absl::FunctionRef<void()> f);

  // Posts and polls, if no other thread does so now. True if there was something to do.
  bool TryAdvance();

  // Operations that were accepted and have not ended.
  std::uint64_t in_flight() const { return in_flight_.count(); }
  // Operations that were given up, as late ones are, but whose memory the device may use.
  std::uint64_t overdue() const { return in_flight_.overdue(); }

  // Called by a thread that waits and calls TryAdvance again and again: the progress thread
  // then leaves the device to it.
  void StartWaiting() {
    if (sleeper_.StartPolling()) LeaveDevice();
  }
  void EndWaiting(Wait wait) {
    if (sleeper_.EndPolling(wait)) GiveDeviceBack();
  }
  const ExecutorOptions& options() const { return options_; }

  // The device hears that `rank` has left.
  void OnLeft(Rank rank);
  // Has this rank exchanged something with `rank`, or does `rank` notice the end of this one?
  bool HasMet(Rank rank);
  // Device::ContactOf, Doubt, Meet and StopMeeting.
  Device::Contact ContactOf(Rank rank);
  void Doubt(Rank rank);
  void Meet(Rank rank);
  void StopMeeting();
  // batches.h: a mark, and whether the batches from before it are handled.
  void MarkBatches();
  bool HasHandledMarked() const { return batches_.IsHandled(); }

  // From here on TryPost returns kClosing; operations in flight end now, with kAborted.
  void Abort();
  // From here on TryPost returns kClosing. Close returns when all accepted operations
  // have ended, and then the progress thread.
  void Close();

  ExecutorCounts counts() const { return counters_.Read(); }

 private:
  bool TryPostHere(const Lanes::Ring& lane, const Command& command, CommandEnd end);
  [[nodiscard]] bool WakesFor(CommandEnd end) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  bool Advance(StepResults& step) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void FillBatch(StepResults& step) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void SleepUntilWork();
  bool TryArm() ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void LeaveDevice();
  void GiveDeviceBack();

  const ExecutorOptions options_;
  Lanes lanes_;
  BasicOperations<topo::Atomic> operations_;
  Host* const host_;
  BasicSleeper<topo::Atomic> sleeper_;
  InFlight in_flight_;
  ExecutorCounters counters_;

  alignas(64) topo::SpinLock lock_;  // held by the thread that posts to the device or polls it
  Device& device_ ABSL_GUARDED_BY(lock_);
  CommandBatch batch_ ABSL_GUARDED_BY(lock_);
  std::uint64_t activity_ ABSL_GUARDED_BY(lock_) = 0;  // of the device, at the last step
  OverdueScan overdue_scan_ ABSL_GUARDED_BY(lock_);
  BasicBatches<topo::Atomic> batches_;  // of messages

  ProgressThread thread_;
};

}  // namespace llcl
