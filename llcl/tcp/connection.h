// The connection to another rank: its states, and the classes that move it between them.
//
//   kOpen --OnGone--> kHalfClosed --End--> kEnded --Lose--> kLost
//     |                                      ^
//     +-----------------End------------------+
//
//   kOpen        bytes go both ways.
//   kHalfClosed  the other end takes no more bytes; sent bytes may still come. Entered by TcpSender
//                after a failed send.
//   kEnded       no bytes go or come; received messages are still handed out. Entered by TcpPeers
//                when the other end has closed or its machine has vanished.
//   kLost        the rank is gone. Entered by TcpPeers some time after kEnded, at the rank's
//                farewell, or for nonsense.
//
// Threads: one at a time, under the executor's lock; state and is_lost any.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "llcl/owned_fd.h"

namespace llcl {

// A resource.
class TcpConnection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State : std::uint8_t { kOpen, kHalfClosed, kEnded, kLost };

  explicit TcpConnection(OwnedFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  State state() const { return state_.load(std::memory_order_acquire); }
  bool takes_bytes() const { return state() == State::kOpen; }
  bool brings_bytes() const { return state() <= State::kHalfClosed; }
  bool is_lost() const { return state() == State::kLost; }
  // Precondition: it has ended.
  Time ended_at() const { return ended_at_; }

  void OnGone() {
    if (state() == State::kOpen) Set(State::kHalfClosed);
  }
  // Precondition: brings_bytes().
  void End(Time now) {
    Set(State::kEnded);
    ended_at_ = now;
    (void)shutdown(fd(), SHUT_RDWR);
  }
  // Precondition: it has ended.
  void Lose() { Set(State::kLost); }

 private:
  void Set(State state) { state_.store(state, std::memory_order_release); }

  OwnedFd fd_;
  std::atomic<State> state_{State::kOpen};
  Time ended_at_;
};

}  // namespace llcl
