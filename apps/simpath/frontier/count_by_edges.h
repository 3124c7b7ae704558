// The edge-based parallel approach (EBA): of k threads, thread j decides the edges i = j mod k, and
// sends the resulting states to the thread of the next edge, through a queue of these two threads.
//
// Each thread has the nodes of its levels in hash tables of its own. A node is expanded as soon as
// it is found, so k threads work on k levels. Counts follow behind: those of a level are complete
// once all arcs to it are known, and are then sent along the same arcs; then the level is given
// back. So about 2 k levels are in memory at once.
//
// A thread never waits for room in the queue to the next one: it goes on taking in what comes to
// it. So no ring of full queues stands still, and one thread may be its own next one.
//
// Source: [ULIBC14] section 4.2, figure 11.
#pragma once

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/count_options.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/problem/count.h"
#include "topo/topo.h"

namespace simpath {

// Precondition: each stage of the plan is one step (MakePlan(problem, 1)). By the threads of the
// mapping, so that neighbors in it are neighbors in the ring. `progress` is called by one thread at
// a time. Errors: as CountSequentially's, and those of topo::RunThreads.
absl::StatusOr<Count> CountByEdges(const Plan& plan, const topo::Topology& topology,
                                   const topo::Mapping& mapping, const CountOptions& options = {});

}  // namespace simpath
