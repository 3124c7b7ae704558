/* llcl for C programs: C11, and a thin layer over the C++ headers, which say more about each
 * mechanism.
 *
 *   c/status.h      the results of all calls
 *   c/job.h         a process's part in a job (endpoint.h, job.h)
 *   c/region.h      registered memory, and descriptions of it for other ranks (region.h)
 *   c/completion.h  callbacks, flags and counters of an operation's end (completion.h)
 *   c/operation.h   reads, writes and atomics (endpoint.h, atomics.h)
 *   c/message.h     active messages (messenger.h)
 *   c/team.h        teams of ranks (team.h)
 *   c/collective.h  their collective operations, and c/reduction.h those that combine
 *
 * An operation has two forms. llcl_try_X asks for it and returns at once: LLCL_OK says that the
 * request was accepted, and that its completion will be called once, or was. LLCL_FULL says that
 * there is no room now; the caller makes progress and asks again. llcl_X asks until there is
 * room, waits for the end, and returns the outcome.
 *
 *   while ((status = llcl_try_write(job, &transfer)) == LLCL_FULL) llcl_progress(job);
 *
 * Handles (llcl_job, llcl_region, llcl_team) are made and freed by the calls that say so. Structs
 * of parameters are read before the call returns, but for the memory that they point to. Zero in a
 * field that a program leaves out is the field's default.
 *
 * Threads: any, all calls, at the same time, unless a header says otherwise. Calls without "try"
 *   wait, and are not for handlers and callbacks.
 * Order: an operation's reads and writes happen before what follows its end (completion.h).
 * Errors: no call ends the program, and no exception leaves a call. A null pointer, an unknown
 *   rank, type or operation is LLCL_INVALID. A handle that was freed is undefined behavior.
 */
#ifndef LLCL_C_H_
#define LLCL_C_H_

/* IWYU pragma: begin_exports */
#include "llcl/c/collective.h"
#include "llcl/c/completion.h"
#include "llcl/c/job.h"
#include "llcl/c/message.h"
#include "llcl/c/operation.h"
#include "llcl/c/reduction.h"
#include "llcl/c/region.h"
#include "llcl/c/status.h"
#include "llcl/c/team.h"
/* IWYU pragma: end_exports */

#endif /* LLCL_C_H_ */
