// What a conduit gives the executor: a place to post commands, to learn of their
// end, and to get messages from.
//
// Threads: Post, Poll, IsHolding, Receive and TryArm under the executor's lock, by one thread at
// a time; the rest by any.
#pragma once

#include <cstddef>
#include <span>

#include "llcl/executor/command.h"
#include "llcl/executor/message.h"

namespace llcl {

// A resource of a conduit.
class Device {
 public:
  virtual ~Device() = default;

  // Posts from the front as many as it takes now; the others are given again later.
  // It may gather them: the network is to be notified once.
  virtual std::size_t Post(std::span<const Command> commands) = 0;

  // Makes progress and fills `ended` from the front; returns how many. Each command
  // that was posted ends once.
  virtual std::size_t Poll(std::span<Ended> ended) = 0;

  // Does it hold back what was posted until it is polled?
  virtual bool IsHolding() const { return false; }

  // Adds messages that have come in, while there is room.
  virtual void Receive(Inbox& inbox) = 0;

  // Is the rank known to be gone? What is in flight to it may never end.
  virtual bool IsDown(Rank rank) const = 0;
  // How many are.
  virtual int losses() const = 0;

  // A file descriptor that becomes readable once Poll or Receive has something to do,
  // or a rank is gone, if TryArm() returned true after the last Poll and Receive that
  // had nothing; -1: there is none.
  virtual int wait_descriptor() const { return -1; }
  virtual bool TryArm() { return true; }
};

}  // namespace llcl
