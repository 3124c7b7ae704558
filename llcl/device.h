// What a conduit gives the executor: a place to post commands and to learn of their
// end.
//
// Threads: all members under the executor's lock, by one thread at a time, but for
// wait_descriptor.
#pragma once

#include <cstddef>
#include <span>

#include "llcl/command.h"

namespace llcl {

// A resource of a conduit.
class Device {
 public:
  virtual ~Device() = default;

  // Posts from the front as many as it takes now; the others are given again later.
  // It may gather them: the network is to be told once.
  virtual std::size_t Post(std::span<const Command> commands) = 0;

  // Makes progress and fills `ended` from the front; returns how many. Each command
  // that was posted ends once.
  virtual std::size_t Poll(std::span<Ended> ended) = 0;

  // A file descriptor that becomes readable once Poll has something to do, if
  // TryArm() returned true after the last Poll that had nothing; -1: there is none.
  virtual int wait_descriptor() const { return -1; }
  virtual bool TryArm() { return true; }
};

}  // namespace llcl
