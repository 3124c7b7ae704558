// A memory barrier on all processors that run a thread of a process that takes part, at the cost of
// the process that asks for it: the other threads need no fence of their own (region/marks.h).
//
// Threads: any.
#pragma once

namespace llcl {

// From here on this process takes part. False: the system does not offer that.
bool JoinMemoryBarriers();

// Each thread of the processes that take part has passed a barrier when this returns. False: the
// system does not offer that.
bool TryMemoryBarrier();

}  // namespace llcl
