/* shmem.h over llcl's C functions. */
#include "shmem.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llcl/c.h"
#include "shmem_parts.h"

struct shmemi_team shmemi_world, shmemi_shared;

static llcl_job* job;
static int pe, pes;
/* Symmetric memory: the heap, and the program's variables. */
enum { HEAP, VARIABLES, KINDS };
static llcl_region* region[KINDS];
static llcl_remote* all[KINDS];
static uint64_t* heap_at; /* where each PE's heap begins in its region: at an aligned address */
extern char __data_start, _end; /* of the executable's variables, by the linker */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `staged` */
static char staged[1 << 16]; /* for memory that is not registered; a variable, so it is itself */
static llcl_counter ended = LLCL_COUNTER_INIT; /* of the nbi operations */
static _Atomic uint64_t begun;
static _Thread_local shmem_ctx_t context;

static void end(int status) {
  fflush(NULL);
  _Exit(status);
}
void shmemi_fail(const char* why) {
  fprintf(stderr, "shmem: PE %d of %d: %s\n", pe, pes, why);
  shmem_global_exit(1);
}
void shmemi_check(llcl_status status) {
  if (status != LLCL_OK) shmemi_fail(llcl_error());
}
static void on_exit_of_all(llcl_message* message, void* data) {
  (void)data;
  end(*(const int*)llcl_payload(message));
}

static size_t heap_bytes(void) {
  const char* text = getenv("SHMEM_SYMMETRIC_SIZE");
  char* unit;
  double bytes = text == NULL ? 0 : strtod(text, &unit);
  if (bytes <= 0) return (size_t)256 << 20;
  for (const char* units = "kmgt"; *units != 0 && strchr("kmgtKMGT", *unit) && *unit != 0;
       ++units) {
    bytes *= 1024;
    if ((*unit | 32) == *units) break;
  }
  return (size_t)bytes / 64 * 64;
}

/* Also at the exit of a program that does not finalize: a PE that exits is not lost then. */
static void leave(void) {
  llcl_leave(job);
  job = NULL;
}
int shmem_init_thread(int requested, int* provided) {
  const llcl_handler exits = {on_exit_of_all, NULL};
  if (job == NULL) {
    if (llcl_join(&(llcl_options){.handlers = &exits, .handler_count = 1}, &job) != LLCL_OK) {
      shmemi_fail(llcl_error());
    }
    pe = llcl_rank(job);
    pes = llcl_size(job);
    shmemi_world.team = llcl_world(job);
    shmemi_world.config.num_contexts = 1;
    atexit(leave);
    shmemi_check(llcl_host_team(shmemi_world.team, &shmemi_shared.team));
    shmemi_check(llcl_allocate(job, heap_bytes() + SHMEMI_HEAP_ALIGNMENT, &region[HEAP]));
    shmemi_check(
        llcl_register(job, &__data_start, (uint64_t)(&_end - &__data_start), &region[VARIABLES]));
    for (int kind = 0; kind < KINDS; ++kind) {
      all[kind] = malloc((size_t)pes * sizeof(llcl_remote));
      shmemi_check(llcl_exchange(job, region[kind], all[kind], (size_t)pes));
    }
    char* const heap = (char*)(((uintptr_t)llcl_start(region[HEAP]) + SHMEMI_HEAP_ALIGNMENT) /
                               SHMEMI_HEAP_ALIGNMENT * SHMEMI_HEAP_ALIGNMENT);
    shmemi_begin_heap(heap, heap_bytes());
    const uint64_t at = (uint64_t)(heap - (char*)llcl_start(region[HEAP]));
    heap_at = malloc((size_t)pes * sizeof at);
    shmemi_check(llcl_allgather(shmemi_world.team, &at, heap_at, sizeof at));
  }
  if (provided != NULL) *provided = SHMEM_THREAD_MULTIPLE;
  return requested > SHMEM_THREAD_MULTIPLE;
}
void shmem_init(void) { shmem_init_thread(SHMEM_THREAD_SINGLE, NULL); }
void start_pes(int unused) {
  (void)unused;
  shmem_init();
}
void shmem_finalize(void) {
  if (job != NULL) shmem_barrier_all();
  leave();
}
void shmem_global_exit(int status) {
  for (int other = 0; job != NULL && other < pes; ++other) {
    if (other != pe) llcl_send(job, other, 0, &status, sizeof status);
  }
  end(status);
}
int shmem_my_pe(void) { return pe; }
int shmem_n_pes(void) { return pes; }
void shmem_query_thread(int* provided) { *provided = SHMEM_THREAD_MULTIPLE; }
void shmem_query_initialized(int* initialized) { *initialized = job != NULL; }
void shmem_pcontrol(int level, ...) { (void)level; }
void shmem_info_get_version(int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}
void shmem_info_get_name(char* name) { strcpy(name, SHMEM_VENDOR_STRING); }

/* The kind of symmetric memory that the bytes lie in, and where; -1: they are not symmetric. */
static int find(const void* memory, size_t bytes, uint64_t* offset) {
  for (int kind = 0; kind < KINDS; ++kind) {
    *offset = (uint64_t)((const char*)memory - (char*)llcl_start(region[kind]));
    const uint64_t size = llcl_bytes(region[kind]);
    if (*offset <= size && bytes <= size - *offset) return kind;
  }
  return -1;
}
static int found(const void* memory, size_t bytes, uint64_t* offset) {
  const int kind = find(memory, bytes, offset);
  if (kind < 0)
    shmemi_fail("memory is neither of the symmetric heap nor a variable of the executable");
  return kind;
}
/* The memory of another PE that is symmetric to the bytes, and where in it. */
static const llcl_remote* there(const void* memory, size_t bytes, int other, uint64_t* offset) {
  const int kind = found(memory, bytes, offset);
  if (kind == HEAP) *offset += heap_at[other] - heap_at[pe];
  return &all[kind][other];
}
int shmem_pe_accessible(int other) { return other >= 0 && other < pes; }
int shmem_addr_accessible(const void* memory, int other) {
  uint64_t offset;
  return shmem_pe_accessible(other) && find(memory, 1, &offset) >= 0;
}
void* shmem_ptr(const void* memory, int other) {
  return other == pe && shmem_addr_accessible(memory, other) ? (void*)memory : NULL;
}
void* shmem_team_ptr(shmem_team_t team, const void* memory, int other) {
  return team == NULL ? NULL : shmem_ptr(memory, llcl_member(team->team, other));
}

void shmemi_use(shmem_ctx_t ctx) { context = ctx; }
int shmemi_pe(int other) {
  const shmem_ctx_t of = context;
  context = NULL;
  if (of != NULL && of != &shmemi_world) other = llcl_member(of->team, other);
  if (!shmem_pe_accessible(other)) shmemi_fail("there is no such PE");
  return other;
}
void shmemi_poll(void) {
  llcl_progress(job);
  sched_yield();
}

size_t shmemi_turn(void) {
  static _Thread_local size_t turn;
  return turn++;
}

static void transfer(int how, llcl_transfer part) {
  llcl_status status;
  if (how == SHMEMI_PUT) {
    shmemi_check(llcl_write(job, &part));
  } else if (how == SHMEMI_GET) {
    shmemi_check(llcl_read(job, &part));
  } else {
    part.then = &ended.then;
    ++begun; /* before it may end: shmem_quiet */
    while ((status = (how == SHMEMI_PUT_NBI ? llcl_try_write : llcl_try_read)(job, &part)) ==
           LLCL_FULL) {
      shmemi_poll();
    }
    shmemi_check(status);
  }
}
void shmemi_copy(int how, const void* symmetric, const void* local, size_t bytes, int other) {
  llcl_transfer part = {.bytes = bytes};
  other = shmemi_pe(other);
  if (bytes == 0) return;
  part.there = there(symmetric, bytes, other, &part.there_offset);
  const int kind = find(local, bytes, &part.here_offset);
  if (kind >= 0) {
    part.here = region[kind];
    transfer(how, part);
    return;
  }
  const int puts = how == SHMEMI_PUT || how == SHMEMI_PUT_NBI;
  pthread_mutex_lock(&lock);
  part.here = region[found(staged, sizeof staged, &part.here_offset)];
  for (size_t done = 0; done < bytes; done += part.bytes, part.there_offset += part.bytes) {
    part.bytes = bytes - done < sizeof staged ? bytes - done : sizeof staged;
    if (puts) memcpy(staged, (const char*)local + done, part.bytes);
    transfer(puts ? SHMEMI_PUT : SHMEMI_GET, part);
    if (!puts) memcpy((char*)local + done, staged, part.bytes);
  }
  pthread_mutex_unlock(&lock);
}
void shmemi_strided(int how, const void* symmetric, const void* local, ptrdiff_t symmetric_stride,
                    ptrdiff_t local_stride, size_t count, size_t bytes, int other) {
  const ptrdiff_t size = (ptrdiff_t)bytes;
  other = shmemi_pe(other);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count; ++i) {
    shmemi_copy(how, (const char*)symmetric + i * symmetric_stride * size,
                (const char*)local + i * local_stride * size, bytes, other);
  }
  shmem_quiet();
}
void shmemi_update(int op, const void* word, const void* operand, const void* expected,
                   void* before, size_t bytes, int other) {
  llcl_update update = {.op = (llcl_op)op, .type = bytes == 4 ? LLCL_U32 : LLCL_U64};
  llcl_word old;
  if (bytes != 4 && bytes != 8) shmemi_fail("atomics are of 4 or 8 bytes");
  update.there = there(word, bytes, shmemi_pe(other), &update.there_offset);
  memcpy(&update.operand, operand, bytes);
  memcpy(&update.expected, expected, bytes);
  shmemi_check(llcl_atomic(job, &update, &old));
  memcpy(before, &old, bytes);
}
void shmemi_signal(uint64_t* word, uint64_t value, int op, int other) {
  uint64_t before;
  shmemi_update(op == SHMEM_SIGNAL_ADD ? SHMEMI_ADD : SHMEMI_SWAP, word, &value, &value, &before,
                sizeof before, other);
}
void shmem_quiet(void) {
  uint64_t all;
  do { /* all that has begun has ended when nothing has begun meanwhile */
    all = begun;
    shmemi_check(llcl_wait_for(job, &ended, all));
  } while (begun != all);
}
void shmem_fence(void) { shmem_quiet(); }
void shmem_sync_all(void) { shmemi_check(llcl_barrier(shmemi_world.team)); }
void shmem_barrier_all(void) {
  shmem_quiet();
  shmem_sync_all();
}

/* PE 0 keeps the locks: the number after the holder's. */
int shmem_test_lock(long* word) { return shmem_long_atomic_compare_swap(word, 0, pe + 1, 0) != 0; }
void shmem_set_lock(long* word) {
  while (shmem_test_lock(word)) shmemi_poll();
}
void shmem_clear_lock(long* word) {
  shmem_quiet();
  shmem_long_atomic_set(word, 0, 0);
}
