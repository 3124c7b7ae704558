// llcl: one-sided communication that many threads can use at once.
//
//   job.h          joins the job that this process was started for
//   endpoint.h     a process's part in it: registered memory, reads, writes, atomics, messages
//   blocking.h     the same operations, for a thread that waits for each
//   region.h       descriptions of registered memory, here and elsewhere, and addresses in it; the
//                  memory is registered as long as a Region (conduit/registration.h) lives
//   completion.h   flags, counters and callbacks of an operation's end; async.h: futures, co_await
//   atomics.h      remote atomics: types and operations
//   messenger.h    active messages
//   strided.h      operations of many pieces
//   team.h         collective operations
//   aggregator.h   many small records, in buffers
//   listings.h     the paper's interface under its own names
//   shared_memory.h, owned_fd.h   memory that processes share, and descriptors
//   c.h            all of this for C programs; not included here
//
// The ways to other ranks, and how a process learns its own:
//
//   launch/launch.h       which rank of which job this process is
//   smp/conduit.h         ranks on one machine, by shared memory
//   ofi/conduit.h         ranks on any machines, by libfabric
//   tcp/conduit.h         ranks on any machines, by TCP alone
//   sim/fabric.h          a simulated network: all ranks in one process
//   executor/executor.h   how commands get to a device: modes, threads, counts
//
// DESIGN.md describes how these are built.
//
// Source: [ET17] Endo, Taura: Multithreaded implementation of a low-level
// communication layer for PGAS. IPSJ SIG HPC.
#pragma once

#include "llcl/aggregator.h"         // IWYU pragma: export
#include "llcl/async.h"              // IWYU pragma: export
#include "llcl/atomics.h"            // IWYU pragma: export
#include "llcl/blocking.h"           // IWYU pragma: export
#include "llcl/completion.h"         // IWYU pragma: export
#include "llcl/endpoint.h"           // IWYU pragma: export
#include "llcl/executor/executor.h"  // IWYU pragma: export
#include "llcl/executor/tags.h"      // IWYU pragma: export
#include "llcl/job.h"                // IWYU pragma: export
#include "llcl/launch/launch.h"      // IWYU pragma: export
#include "llcl/launch/place.h"       // IWYU pragma: export
#include "llcl/listings.h"           // IWYU pragma: export
#include "llcl/messenger.h"          // IWYU pragma: export
#include "llcl/ofi/conduit.h"        // IWYU pragma: export
#include "llcl/owned_fd.h"           // IWYU pragma: export
#include "llcl/region.h"             // IWYU pragma: export
#include "llcl/shared_memory.h"      // IWYU pragma: export
#include "llcl/sim/conduit.h"        // IWYU pragma: export
#include "llcl/sim/fabric.h"         // IWYU pragma: export
#include "llcl/smp/conduit.h"        // IWYU pragma: export
#include "llcl/strided.h"            // IWYU pragma: export
#include "llcl/tcp/conduit.h"        // IWYU pragma: export
#include "llcl/team.h"               // IWYU pragma: export
#include "llcl/version.h"            // IWYU pragma: export
