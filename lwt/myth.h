/* MassiveThreads' functions, over lwt: the front page of myth/threads.h, attributes.h, bulk.h,
 * sync.h, locks.h, keys.h, queues.h and io.h.
 *
 * Threads, and all of chapter 3: thread-specific data (attr.custom_data, hints), threads that are
 * not scheduled (myth_create_nosched), the steal function, the five run-queue operations.
 *
 * Synchronization blocks the thread and not the worker, and any OS thread may take part.
 *
 * Differences to MassiveThreads are where it is broken or undefined: peek is never torn and never
 * of a queue's earlier tail; nosched, timed locks and reader-writer locks exist; queues grow; idle
 * workers sleep; sleeping threads do not run; errors are returned.
 *
 * A thread that computes is not interrupted: one that waits in a loop without a call keeps its
 * worker. Tries that fail (trylock, tryjoin, ...) let other threads of the worker run.
 *
 * Any function may be called from lightweight threads; all but those that say so also from other OS
 * threads, main among them, which is not a worker: it blocks alone. Threads that are left when main
 * returns end with the program.
 *
 * The number of workers: myth_globalattr_set_n_workers, else the environment's MYTH_NUM_WORKERS,
 * else as many as the machine runs at once. Stacks: the thread's attribute, else myth_globalattr's,
 * else MYTH_DEF_STKSIZE bytes, else 65536.
 *
 * Left out, because MassiveThreads' library does not define them either: myth_serialize,
 * myth_deserialize, myth_release_stack, myth_release_desc, myth_getattr_default_np's setter; and
 * its sleep queues (myth_sleep_queue.h), which are parts of its own locks.
 *
 * Source: [NNT13] chapter 3; names of MassiveThreads (master of 2024).
 */
#ifndef LWT_MYTH_H_
#define LWT_MYTH_H_

/* IWYU pragma: begin_exports */
#include "lwt/myth/attributes.h"
#include "lwt/myth/bulk.h"
#include "lwt/myth/io.h"
#include "lwt/myth/keys.h"
#include "lwt/myth/locks.h"
#include "lwt/myth/queues.h"
#include "lwt/myth/sync.h"
#include "lwt/myth/threads.h"
/* IWYU pragma: end_exports */

#endif /* LWT_MYTH_H_ */
