// Passes input on between two descriptors, without waiting: llclrun packs frames, and the proxy
// beside rank 0 unpacks frames.
//
// Threads: the thread polling both descriptors.
#pragma once

#include <poll.h>

#include <string>

#include "llcl/launch/input_frames.h"
#include "llcl/owned_fd.h"

namespace llcl {

class InputRelay {
 public:
  enum class Kind { kIntoFrames, kOutOfFrames };

  // `from` is not closed. kOutOfFrames closes `to` when the input has ended or the reader is gone;
  // kIntoFrames leaves `to` open, as the end of the stream would mean the end of the launcher.
  InputRelay(Kind kind, int from, OwnedFd& to) : kind_(kind), from_(from), to_(to) {}

  // For poll; the descriptor is -1 while nothing is awaited, as from a terminal in the background.
  pollfd Reading() const;
  pollfd Writing() const;

  // After poll has reported the descriptor.
  void Read();
  void Write();

  // kOutOfFrames: the stream has ended, or holds something else than frames.
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

// Reads the first frame of a stream, and no byte beyond the frame. Waits. Errors: Unavailable for a
// stream without a whole frame; InvalidArgument.
absl::StatusOr<std::string> ReadFrame(int from);

}  // namespace llcl
