// One pinned OS thread a slot, for as long as a function runs.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "topo/affinity.h"
#include "topo/mapping.h"
#include "topo/topology.h"

namespace topo {

// Starts mapping.size() OS threads named topo-0, topo-1, ..., pins each to its
// slot, calls `body(slot)` on each and waits for all of them. All run at once,
// so a body may use barriers. An exception of a body reaches the caller once
// all have ended (the one of the lowest thread). Errors: those
// of ScopedAffinity::Pin, and ResourceExhausted where a thread cannot be
// started; no body has then been called.
//
// For set-up and for programs whose parallel parts are long: it pays for the
// start of the threads (tens of microseconds each).
absl::Status RunThreads(const Topology& topology, const Mapping& mapping,
                        const std::function<void(const Slot&)>& body, Level level = Level::kPu);

}  // namespace topo
