// Decides how often a polling thread looks at the network, where messages come by shared memory,
// too. A look at the network is a system call, and takes several times as long as a look at a lane.
//
// While bytes come or go by the network, each poll looks. While shared memory alone brings
// messages, each look in vain doubles the number of polls until the next look. While neither way
// brings anything, each poll looks again.
//
// Pure. Threads: one at a time.
#pragma once

#include <algorithm>

namespace llcl {

// A value.
class NetworkTurns {
 public:
  static constexpr int kMostBetween = 512;  // polls
  static constexpr int kBusy = 64;          // polls without anything, after which a way is idle

  // Once in each poll. True: it looks at the network.
  [[nodiscard]] bool IsDue() {
    if (since_near_ <= kBusy) ++since_near_;
    if (since_near_ > kBusy) between_ = 1;
    if (++since_look_ < between_) return false;
    since_look_ = 0;
    return true;
  }
  // Shared memory has brought something.
  void OnNear() { since_near_ = 0; }
  // A look at the network was in vain.
  void OnNothing() {
    if (since_near_ > kBusy) return;
    if (vain_ <= kBusy) {
      ++vain_;
    } else {
      between_ = std::min(2 * between_, kMostBetween);
    }
  }
  // The network has brought something, or something was sent by it.
  void OnFar() {
    between_ = 1;
    vain_ = 0;
  }

 private:
  int between_ = 1;
  int vain_ = 0;        // looks since the network was used, up to kBusy + 1
  int since_near_ = 0;  // polls, up to kBusy + 1
  int since_look_ = 0;  // polls
};

}  // namespace llcl
