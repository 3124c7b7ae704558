// Passes input on between two descriptors, without waiting: llclrun packs frames, and the proxy
// beside rank 0 unpacks frames.
//
// Threads: the thread polling both descriptors.
#pragma once

#include <poll.h>

#include <deque>
#include <string>
#include <utility>

#include "llcl/owned_fd.h"
#include "llcl/start/input_frames.h"

namespace llcl {

class InputRelay {
 public:
  enum class Kind { kIntoFrames, kOutOfFrames };

  // `from` is not closed; -1: there is none. `first` goes before all input. kOutOfFrames closes
  // `to` when the input has ended or the reader is gone; kIntoFrames leaves `to` open, as the end
  // of the stream would mean the end of the launcher.
  InputRelay(Kind kind, int from, OwnedFd& to, std::string first = {})
      : kind_(kind), from_(from), to_(to), pending_(std::move(first)) {}

  // For poll; the descriptor is -1 while nothing is awaited, as from a terminal in the background.
  pollfd Reading() const;
  pollfd Writing() const;
  // Input may be there that is not awaited, as this process is in the background of the terminal:
  // no event tells that the process comes to the front.
  bool is_held_back() const;

  // After poll has reported the descriptor. Where `from` is a terminal SIGTTIN is to be blocked.
  void Read();
  void Write();

  // kIntoFrames: passes a signal on, behind the input that is on its way.
  void Send(int signal);
  // kOutOfFrames: the next signal that has come; 0: none.
  int TakeSignal();

  // kOutOfFrames: the stream has ended, or holds something else than frames.
  bool is_lost() const { return is_lost_; }

 private:
  static constexpr std::size_t kMostPending = 1 << 20;
  bool is_full() const { return pending_.size() >= kMostPending; }
  bool wants_input() const { return from_ >= 0 && !has_ended_ && pending_.empty(); }
  void Take(const char* bytes, std::size_t count);
  void EndInput();

  const Kind kind_;
  const int from_;
  OwnedFd& to_;
  InputFrameReader frames_;
  std::deque<int> signals_;
  std::string pending_;     // for `to`
  bool has_ended_ = false;  // no more input comes
  bool is_lost_ = false;
};

// Reads the frames that the stream begins with, and no byte beyond. Waits. Errors: Unavailable for
// a stream without a byte, Cancelled for a stream that ends in between; InvalidArgument.
absl::StatusOr<ProxyStart> ReadProxyStart(int from);

}  // namespace llcl
