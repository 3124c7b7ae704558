// Passes input on from one descriptor to another, without waiting: into frames on the side of
// llclrun, and out of them beside rank 0.
//
// Threads: one, which polls both descriptors.
#pragma once

#include <poll.h>

#include <string>

#include "llcl/launch/input_frames.h"
#include "llcl/owned_fd.h"

namespace llcl {

class InputRelay {
 public:
  enum class Kind { kIntoFrames, kOutOfFrames };

  // `from` stays its owner's. `to`, where it has one, is closed when the input has ended or the
  // reader is gone; the frames' own `to` stays open, as its end would mean the launcher's.
  InputRelay(Kind kind, int from, OwnedFd& to) : kind_(kind), from_(from), to_(to) {}

  // For poll; the descriptor is -1 where there is nothing to wait for.
  pollfd Reading() const;
  pollfd Writing() const;

  // After poll has reported the descriptor.
  void Read();
  void Write();

  // Of kOutOfFrames: the stream has ended, or is none of frames.
  bool is_lost() const { return is_lost_; }

 private:
  void Take(const char* bytes, std::size_t count);
  void EndInput();

  const Kind kind_;
  const int from_;
  OwnedFd& to_;
  FrameReader frames_;
  std::string pending_;     // for `to`
  bool has_ended_ = false;  // no more input comes
  bool is_lost_ = false;
};

// The first frame of a stream, without a byte of the next: for a program that reads it before it
// begins. Waits. Errors: Unavailable where the stream ends before; InvalidArgument.
absl::StatusOr<std::string> ReadFrame(int from);

}  // namespace llcl
