// Short operations among the ranks of a host: the thread that begins one runs its rounds at once,
// as far as the others' frames are there or come within a moment. An object for the operation costs
// more than the whole of it; only an operation that has to wait gets one.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "llcl/collective/collective.h"
#include "llcl/collective/farewell.h"
#include "llcl/collective/schedule.h"
#include "llcl/conduit/channels.h"
#include "llcl/region.h"

namespace llcl {

// Do all parts go by channels, each in one frame? `channels`: or null.
bool IsQuick(const Schedule& schedule, std::span<const Rank> members, const Channels* channels);

// Runs rounds from the first on. Looks `looks` times for a frame that has not come. Precondition:
// IsQuick, and the memory is one piece.
RoundsDone RunQuickly(const CollectiveId& id, const Collective& collective, Channels& channels,
                      int looks);

}  // namespace llcl
