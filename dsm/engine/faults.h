// Which listener a fault is reported to when a thread touches memory that is not there: handlers of
// SIGSEGV and SIGBUS ask those that watch the address, and leave all other faults to the action
// that the signal had before, so that a wild pointer ends a program as it always did; or a thread
// serves an engine (fault_server.h). In a forked child nothing is watched: touching the memory
// there ends it as any wild pointer does.
//
// Threads: any, all members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsm/language.h"

namespace dsm {

// The access that faulted.
enum class FaultKind { kRead, kWrite };

// Faults in its memory are reported to it: in the thread that faulted, in the signal handler; or in
// the thread that serves the engine.
class FaultListener {
 public:
  virtual ~FaultListener() = default;
  // True: the access is to be repeated. False: the fault is none of this listener's.
  virtual bool OnFault(std::uint64_t offset, FaultKind kind) = 0;
  // May it run other user-level threads meanwhile, and return on another OS thread? Then
  // handlers are not on a thread's alternate stack, where the next one would overwrite it.
  virtual bool MaySwitch() const { return false; }
};

// A resource: from its construction to its end faults go to a listener, which outlives it.
class FaultWatch {
 public:
  virtual ~FaultWatch() = default;
};

// Faults in `view` that come as a signal.
class SignalWatch final : public FaultWatch {
 public:
  // `signal`: SIGSEGV or SIGBUS. Aborts where there are more than 16 at a time.
  SignalWatch(int signal, std::span<const std::byte> view, FaultListener& listener);
  ~SignalWatch() override;
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  const int signal_;
  std::size_t place_ = 0;
};

}  // namespace dsm
