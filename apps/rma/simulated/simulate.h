// The paper's listings 6 and 7 on a simulated interconnect, in virtual time.
//
// Each requester, the executor and the completer is a thread on a core of its own, whose steps
// take what the interconnect says. Threads meet at three places: the lines of memory that they
// write in turn (the ring's tail), which go from core to core one at a time; spin locks, whose
// next owner waits longer the more others spin, as each of them fetches the lock's line; and the
// network, which sends one message's bytes after the other's.
//
// A run is a function of its arguments.
//
// Source: [ET17] sections 3.2 to 3.5, 4.1, 4.2 and 5. Spin locks: T. E. Anderson, The performance
// of spin lock alternatives, IEEE TPDS 1(1), 1990.
#pragma once

#include "apps/rma/problem/point.h"
#include "apps/rma/simulated/interconnect.h"

namespace rma {

// The requests of listing 6, and those of listing 7, that a simulated run counts, by default.
inline constexpr int kSimulatedRequests = 20'000;

// Precondition: point.offload is kDirect or kOffload; requests > 0.
Sample Simulate(const Interconnect& interconnect, const Point& point,
                int requests = kSimulatedRequests);

}  // namespace rma
