// dsm: make far memory near.
//
// Page-based distributed shared memory: memory at the same address in all processes of a job, which
// any thread of any of them reads and writes by plain loads and stores.
//
// One header a concept:
//
//   space.h                      joining, allocating, barriers, preloading, atomics, checkpoints
//   options.h                    which options a space can have
//   array.h                      typed arrays in a space
//   heap.h                       small blocks at run time, and an allocator for C++'s containers
//   mutex.h                      mutual exclusion of threads of all ranks
//   layout/distribution.h        which rank is the home of which page
//   layout/placement.h           which PUs the program's threads and those that communicate have
//   page/access.h                for what pages are preloaded
//   paging/preloader.h           pages on their way: Arrival
//   engine/engine.h              how pages are mapped and faults are noticed
//   release/release_protocol.h   the kinds of barriers: Consistency
//   report/hot_pages.h           the pages that cost most
//
// Apart: dsm/sms.h (the paper's C interface), dsm/mpc (its translator), dsm/sim/cluster.h (the
// protocol on simulated nodes, in virtual time).
//
// Source: [Mid18], section by section named in the headers.
#pragma once

#include "dsm/array.h"                     // IWYU pragma: export
#include "dsm/engine/engine.h"             // IWYU pragma: export
#include "dsm/heap.h"                      // IWYU pragma: export
#include "dsm/layout/distribution.h"       // IWYU pragma: export
#include "dsm/layout/placement.h"          // IWYU pragma: export
#include "dsm/mutex.h"                     // IWYU pragma: export
#include "dsm/options.h"                   // IWYU pragma: export
#include "dsm/page/access.h"               // IWYU pragma: export
#include "dsm/paging/preloader.h"          // IWYU pragma: export
#include "dsm/release/release_protocol.h"  // IWYU pragma: export
#include "dsm/report/hot_pages.h"          // IWYU pragma: export
#include "dsm/space.h"                     // IWYU pragma: export
#include "dsm/version.h"                   // IWYU pragma: export
