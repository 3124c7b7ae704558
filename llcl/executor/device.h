// The executor's interface to a conduit: it posts commands, polls their ends, and
// receives messages.
//
// Threads: Post, Poll, IsHolding, Release, activity, Receive, OnLeft, HasMet, ContactOf, Meet,
// Doubt, StopMeeting, TryArm and Disarm under the executor's lock, by one thread at a time; the
// rest by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "llcl/executor/command.h"
#include "llcl/executor/message.h"

namespace llcl {

// A resource of a conduit.
class Device {
 public:
  virtual ~Device() = default;

  // Posts as many as it takes now, from the front; the executor posts the others again
  // later. It may gather them, to notify the network once.
  virtual std::size_t Post(std::span<const Command> commands) = 0;

  // Makes progress and fills `ended` from the front; returns how many. Each command
  // that was posted ends once.
  virtual std::size_t Poll(std::span<Ended> ended) = 0;

  // Does it hold back posted commands until it is polled?
  virtual bool IsHolding() const { return false; }
  // No thread polls it now. What it holds goes out, but for what waits for the end of something
  // that is under way, for which it will be polled. What is left to a poll now: some ends of
  // commands, or more.
  enum class Left : std::uint8_t { kNothing, kEnds, kMore };
  virtual Left Release() { return LeftOf(IsHolding(), 0); }

  // How often something has come from other ranks, or more is to go to one that takes it: a thread
  // that serves them is not idle. A device that does not know says 0 always.
  virtual std::uint64_t activity() const { return 0; }

  // Adds messages that have come in, while there is room.
  virtual void Receive(Inbox& inbox) = 0;

  // Is the rank known to be gone? Commands in flight to it may never end.
  virtual bool IsDown(Rank rank) const = 0;
  // How many ranks are down. It grows, too, with each rank that is met or missed (meets_on_use).
  virtual int losses() const = 0;

  // The farewell of the rank has come: the last message on a network with ordered messages. Or
  // another rank says that a rank has gone that this one has not met. From here on the rank is
  // down.
  virtual void OnLeft(Rank /*rank*/) {}
  // Have the rank and this one exchanged messages, or does the rank watch this process? Else it
  // needs no farewell.
  virtual bool HasMet(Rank /*rank*/) const { return true; }
  // Are there ranks whose end it does not notice before it has met them, at the first command? Then
  // ranks pass on the departures that they notice, and keep touch by Meet.
  virtual bool meets_on_use() const { return false; }
  // kCalled: a call is under way; kMayBeMet: and the rank may have welcomed it. kMissed: the last
  // call was in vain.
  enum class Contact : std::uint8_t { kNone, kCalled, kMayBeMet, kMissed, kMet };
  virtual Contact ContactOf(Rank /*rank*/) const { return Contact::kMet; }
  virtual void Meet(Rank /*rank*/) {}
  // Another rank says that the rank, which this one has not met, is lost: a call finds out within
  // some seconds.
  virtual void Doubt(Rank /*rank*/) {}
  // This rank leaves: from here on no rank meets it, so that each that has met it gets its
  // farewell.
  virtual void StopMeeting() {}
  // Do messages arrive after the end of the device? Else a farewell needs an answer.
  virtual bool delivers_last_messages() const { return true; }

  // A file descriptor that becomes readable once Poll or Receive has something to do,
  // or a rank is gone, if TryArm() returned true after the last Poll and Receive that
  // had nothing; -1: there is none.
  virtual int wait_descriptor() const { return -1; }
  virtual bool TryArm() { return true; }
  // From here on, until TryArm is called, the descriptor does not become readable. False: it may.
  virtual bool Disarm() { return false; }

 protected:
  // Many ends are more: resources are freed by them.
  static constexpr Left LeftOf(bool has_more, std::size_t ends) {
    constexpr std::size_t kMany = 16;
    return has_more || ends >= kMany ? Left::kMore : ends > 0 ? Left::kEnds : Left::kNothing;
  }
};

}  // namespace llcl
