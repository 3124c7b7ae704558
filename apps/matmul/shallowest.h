// The paper's steal function: look at the tails of some victims, rob the one
// whose thread is the shallowest.
//
// Source: [NNT13] section 4.
#pragma once

#include <limits>

#include "lwt/lwt.h"

namespace matmul {

// A policy. Threads carry their depth as hint.
struct Shallowest {
  int candidates = 8;

  lwt::ReadyThread Steal(lwt::Worker& self) {
    int best = self.index();
    int best_depth = std::numeric_limits<int>::max();
    for (int i = 0; i < candidates; ++i) {
      const int victim = self.RandomPeer();
      if (victim == self.index()) break;  // alone
      const auto depth = self.victim(victim).Peek<int>();
      if (depth && *depth < best_depth) best = victim, best_depth = *depth;
    }
    return best == self.index() ? lwt::ReadyThread() : self.victim(best).Take();
  }
};

}  // namespace matmul
