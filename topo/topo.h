// topo: what is near what.
//
// NUMA topology as a value, thread-to-PU mapping tables made before any thread
// runs, memory that lies where it was asked to lie, and a report of where both
// really are. After ULIBC ([ULIBC14]), on hwloc and the kernel's own calls.
//
//   Facts      topology.h   the machine as a value
//              cpu_quota.h, pu_set.h   what of it this process may use
//              discover.h   this machine, an XML file, a synthetic description
//   Decisions  mapping.h    policy + thread count -> mapping table; what it uses
//              split.h      thread -> index range
//              placement.h  where pages are asked to be
//   Actions    affinity.h   pin the calling thread; which slot am I?
//              threads.h    run a function on one pinned thread a slot
//              memory.h     memory on a node, interleaved, in slices
//              node_memory_resource.h   the same for std::pmr containers
//              barrier.h, node_loop.h   synchronize and share work by node
//              mutex.h, spin_lock.h     locks whose guarded data clang checks
//              atomic.h, spinning_atomic.h   what synchronization is written over, for models
//   Evidence   resident.h   where pages are
//              verify.h     asked versus actual, as a report
//
// Apart: topo/tbb.h (arenas a NUMA node, //topo:tbb), topo/draw.h (pictures,
// //topo:draw), topo/ulibc.h (the paper's C functions, //topo:ulibc).
#pragma once

#include "topo/affinity.h"
#include "topo/atomic.h"
#include "topo/barrier.h"
#include "topo/cpu_quota.h"
#include "topo/discover.h"
#include "topo/free_ranges.h"
#include "topo/mapping.h"
#include "topo/memory.h"
#include "topo/mutex.h"
#include "topo/node_loop.h"
#include "topo/node_memory_resource.h"
#include "topo/placement.h"
#include "topo/pu_set.h"
#include "topo/resident.h"
#include "topo/spin_lock.h"
#include "topo/spinning_atomic.h"
#include "topo/split.h"
#include "topo/threads.h"
#include "topo/topology.h"
#include "topo/verify.h"
#include "topo/version.h"
