// llcl: one-sided communication that many threads can use at once.
//
//   endpoint.h     a process's part in a job: registered memory, reads, writes, atomics
//   region.h       registered memory here and elsewhere, and addresses in it
//   completion.h   whom an operation tells that it has ended
//   atomics.h      remote atomics: types and operations
//   executor.h     requester, executor, completer: how commands get to a device
//   ring.h         the command ring: many producers, one consumer
//   tags.h         numbers of operations in flight
//   conduit.h      a way to other ranks; device.h is what it gives the executor
//   launch.h       how a process learns which rank of which job it is
//   job.h          the conduit that the user, or where the ranks are, asks for
//   smp_conduit.h  ranks on one machine, by shared memory
//   ofi_conduit.h  ranks on any machines, by libfabric
//   sim_fabric.h   a network that is not there: all ranks in one process
//
// Source: [ET17] Endo, Taura: Multithreaded implementation of a low-level
// communication layer for PGAS. IPSJ SIG HPC.
#pragma once

#include "llcl/atomics.h"      // IWYU pragma: export
#include "llcl/completion.h"   // IWYU pragma: export
#include "llcl/endpoint.h"     // IWYU pragma: export
#include "llcl/executor.h"     // IWYU pragma: export
#include "llcl/job.h"          // IWYU pragma: export
#include "llcl/launch.h"       // IWYU pragma: export
#include "llcl/ofi_conduit.h"  // IWYU pragma: export
#include "llcl/region.h"       // IWYU pragma: export
#include "llcl/sim_conduit.h"  // IWYU pragma: export
#include "llcl/sim_fabric.h"   // IWYU pragma: export
#include "llcl/smp_conduit.h"  // IWYU pragma: export
