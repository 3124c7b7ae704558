// The connection to another rank: its states, and the classes that move it between them.
//
//   kUnmet --Open--> kOpen --OnGone--> kHalfClosed --End--> kEnded --Lose--> kLost
//     |                |                                      ^
//     +------End-------+------------------End-----------------+
//
//   kUnmet       there is none yet: TcpConnector calls, or is called. Bytes wait.
//   kOpen        bytes go both ways.
//   kHalfClosed  the other end takes no more bytes; sent bytes may still come. Entered by TcpSender
//                after a failed send.
//   kEnded       no bytes go or come; received messages are still handed out. Entered by TcpPeers
//                when the other end has closed, its machine has vanished, or it was not reached.
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
  enum class State : std::uint8_t { kOpen, kHalfClosed, kEnded, kLost, kUnmet };

  TcpConnection() = default;
  explicit TcpConnection(OwnedFd fd) { Open(std::move(fd)); }

  // -1: it was never open.
  int fd() const { return fd_.get(); }
  bool was_open() const { return fd() >= 0; }
  State state() const { return state_.load(std::memory_order_acquire); }
  bool is_unmet() const { return state() == State::kUnmet; }
  bool takes_bytes() const { return state() == State::kOpen; }
  bool brings_bytes() const { return state() <= State::kHalfClosed; }
  bool has_ended() const { return state() == State::kEnded || is_lost(); }
  bool is_lost() const { return state() == State::kLost; }
  // Precondition: it has ended.
  Time ended_at() const { return ended_at_; }

  // Precondition: is_unmet(). `fd` does not block.
  void Open(OwnedFd fd) {
    fd_ = std::move(fd);
    Set(State::kOpen);
  }
  void OnGone() {
    if (state() == State::kOpen) Set(State::kHalfClosed);
  }
  // Precondition: it has not ended.
  void End(Time now) {
    Set(State::kEnded);
    ended_at_ = now;
    if (was_open()) (void)shutdown(fd(), SHUT_RDWR);
  }
  // Precondition: it has ended.
  void Lose() { Set(State::kLost); }

 private:
  void Set(State state) { state_.store(state, std::memory_order_release); }

  OwnedFd fd_;
  std::atomic<State> state_{State::kUnmet};
  Time ended_at_;
};

}  // namespace llcl
