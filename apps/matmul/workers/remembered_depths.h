// The shallowest of some victims by depths that are remembered, as MassiveThreads' peek has them:
// what it copied of a queue's tail stays its answer until the queue is seen empty.
//
// The copy is not renewed when thieves take the tail, so that it names depths that are gone: the
// cause, shown by this policy, for which the paper's choice by depth gained nothing.
//
// Threads: as a policy's. Source: [NNT13] section 4; myth_wscache.h of MassiveThreads.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "lwt/lwt.h"

namespace matmul {

// A value: a policy. Copies share what they remember, as workers of a pool do.
class RememberedDepths {
 public:
  // The pool has so many workers. A thief looks at the depths of `candidates` of them, at least
  // one.
  RememberedDepths(int workers, int candidates);

  lwt::ReadyThread Steal(lwt::Worker& self) const;

 private:
  static constexpr int kNone = -1;  // seen empty

  int candidates_;
  std::shared_ptr<std::vector<std::atomic<int>>> depths_;  // by worker
};

}  // namespace matmul
