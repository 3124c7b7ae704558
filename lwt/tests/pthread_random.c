/* A random pthread program, by its seed: threads that start threads and use what pthreads have for them to
 * meet, in an order that no schedule deadlocks, with results that no schedule changes. It is compiled for the
 * system's threads and for lightweight ones, whose results pthread_random_test compares.
 *
 * No deadlock: each thread puts a unit before it takes one, locks are nested in one order, and all threads of the
 * first generation pass the same barriers, none while it holds a lock. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { OBJECTS = 3, MOST_THREADS = 12, MOST_OPERATIONS = 40, DEEPEST = 3 };

static uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
static int below(uint64_t* state, int n) { return (int)(next_random(state) % (uint64_t)n); }

static pthread_mutex_t mutexes[OBJECTS];
static long sums[OBJECTS]; /* with the mutex */
static pthread_rwlock_t rwlocks[OBJECTS];
static long pairs[OBJECTS][2];
static sem_t units[OBJECTS], detached_ended;
static pthread_mutex_t store_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t store_changed = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static long store;
static pthread_spinlock_t spin;
static long spun;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_key_t key;
static long initialized, torn, destroyed, serial, timeouts, refused, cancelled, cleaned, detached, yields;

static void add(long* to, long n) { __atomic_fetch_add(to, n, __ATOMIC_RELAXED); }
static void must(int is_true, const char* what) {
  if (is_true) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}
static void initialize(void) { ++initialized; }
static void destroy(void* value) { add(&destroyed, (long)value); }

struct thread {
  uint64_t seed;
  int depth;
  int phases; /* how many barriers it passes: of the first generation only */
  int is_detached;
};
static void* run(void* thread);

static pthread_t start(uint64_t* random, int depth, int is_detached, struct thread* thread) {
  *thread = (struct thread){next_random(random), depth, 0, is_detached};
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  if (below(random, 3) == 0) pthread_attr_setstacksize(&attr, (size_t)(64 << below(random, 7)) << 10);
  if (is_detached) pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_t id;
  must(pthread_create(&id, &attr, run, thread) == 0, "pthread_create");
  pthread_attr_destroy(&attr);
  return id;
}

/* Threads that wait for a condition at the same time have one mutex. */
struct meeting {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
};
static void clean(void* mutex) {
  add(&cleaned, 1);
  pthread_mutex_unlock(mutex);
}
static void* wait_in(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  pthread_cleanup_push(clean, mutex);
  while (1) pthread_cond_wait(condition, mutex);
  pthread_cleanup_pop(1);
  return NULL;
}
static void* wait_alone(void* meeting) {
  struct meeting* const own = meeting;
  return wait_in(&own->condition, &own->mutex);
}
static void* wait_beside_others(void* unused) {
  (void)unused;
  return wait_in(&never, &store_mutex);
}

static void operate(uint64_t* random, int depth) {
  const int i = below(random, OBJECTS), n = 1 + below(random, 100);
  const struct timespec past = {1, 0};
  switch (below(random, 13)) {
    case 0: /* nested in order, and recursive where the kind allows */
      must(pthread_mutex_lock(&mutexes[i]) == 0, "lock");
      if (i == 1) must(pthread_mutex_lock(&mutexes[i]) == 0, "lock again");
      if (i + 1 < OBJECTS) must(pthread_mutex_lock(&mutexes[i + 1]) == 0, "lock the next");
      sums[i] += n;
      if (i + 1 < OBJECTS) {
        if (n % 4 == 0) sched_yield();
        sums[i + 1] += n;
        must(pthread_mutex_unlock(&mutexes[i + 1]) == 0, "unlock the next");
      }
      if (i == 1) must(pthread_mutex_unlock(&mutexes[i]) == 0, "unlock once");
      must(pthread_mutex_unlock(&mutexes[i]) == 0, "unlock");
      break;
    case 1: /* tried, or timed */
      while (pthread_mutex_trylock(&mutexes[i]) != 0) add(&yields, 1);
      sums[i] += n;
      pthread_mutex_unlock(&mutexes[i]);
      break;
    case 2:
      if (n % 2 == 0) {
        must(pthread_rwlock_wrlock(&rwlocks[i]) == 0, "wrlock");
      } else {
        struct timespec later;
        clock_gettime(CLOCK_REALTIME, &later);
        later.tv_sec += 1000;
        must(pthread_rwlock_timedwrlock(&rwlocks[i], &later) == 0, "timedwrlock");
      }
      pairs[i][0] += n;
      if (n % 3 == 0) sched_yield();
      pairs[i][1] += n;
      must(pthread_rwlock_unlock(&rwlocks[i]) == 0, "unlock a writer");
      break;
    case 3:
      must(pthread_rwlock_rdlock(&rwlocks[i]) == 0, "rdlock");
      if (pairs[i][0] != pairs[i][1]) add(&torn, 1);
      if (n % 3 == 0) sched_yield();
      must(pthread_rwlock_unlock(&rwlocks[i]) == 0, "unlock a reader");
      break;
    case 4:
      must(sem_post(&units[i]) == 0, "sem_post");
      if (n % 2 == 0) {
        must(sem_wait(&units[i]) == 0, "sem_wait");
      } else {
        while (sem_trywait(&units[i]) != 0) must(errno == EAGAIN, "sem_trywait");
      }
      break;
    case 5:
      pthread_mutex_lock(&store_mutex);
      ++store;
      n % 2 == 0 ? pthread_cond_signal(&store_changed) : pthread_cond_broadcast(&store_changed);
      pthread_mutex_unlock(&store_mutex);
      if (n % 3 == 0) usleep(n);
      pthread_mutex_lock(&store_mutex);
      while (store == 0) pthread_cond_wait(&store_changed, &store_mutex);
      --store;
      pthread_mutex_unlock(&store_mutex);
      break;
    case 6:
      pthread_once(&once, initialize);
      must(initialized == 1, "once");
      break;
    case 7:
      pthread_setspecific(key, (void*)((long)pthread_getspecific(key) + n));
      break;
    case 8: {
      pthread_mutex_lock(&store_mutex);
      /* A wait may end without a cause, as where another waiter of the condition is cancelled. */
      while (pthread_cond_timedwait(&never, &store_mutex, &past) != ETIMEDOUT) continue;
      add(&timeouts, 1);
      pthread_mutex_unlock(&store_mutex);
      break;
    }
    case 9: /* of the kind that tells errors */
      add(&refused, pthread_mutex_unlock(&mutexes[2]) == EPERM);
      pthread_mutex_lock(&mutexes[2]);
      add(&refused, pthread_mutex_lock(&mutexes[2]) == EDEADLK);
      pthread_mutex_unlock(&mutexes[2]);
      break;
    case 10:
      pthread_spin_lock(&spin);
      spun += n;
      pthread_spin_unlock(&spin);
      break;
    case 11: { /* threads of its own */
      if (depth >= DEEPEST) break;
      struct thread children[3];
      pthread_t ids[3];
      const int count = 1 + below(random, 3);
      for (int c = 0; c < count; ++c) ids[c] = start(random, depth + 1, 0, &children[c]);
      for (int c = 0; c < count; ++c) {
        void* result = NULL;
        must(pthread_join(ids[c], &result) == 0, "join");
        pthread_mutex_lock(&mutexes[0]);
        sums[0] += (long)result;
        pthread_mutex_unlock(&mutexes[0]);
      }
      if (n % 4 == 0) {
        struct thread* const alone = malloc(sizeof *alone);
        add(&detached, 1);
        start(random, DEEPEST, 1, alone);
      }
      break;
    }
    case 12: { /* one that is cancelled while, or before, it waits */
      if (depth >= DEEPEST || n % 3 != 0) break;
      struct meeting own = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
      pthread_t waiter;
      void* result = NULL;
      must(pthread_create(&waiter, NULL, n % 2 == 0 ? wait_alone : wait_beside_others, &own) == 0, "create a waiter");
      must(pthread_cancel(waiter) == 0, "cancel");
      must(pthread_join(waiter, &result) == 0, "join a waiter");
      add(&cancelled, result == PTHREAD_CANCELED);
      must(pthread_cond_destroy(&own.condition) == 0, "nothing waits for the condition");
      must(pthread_mutex_destroy(&own.mutex) == 0, "the handler left the mutex free");
      break;
    }
  }
}

static void* run(void* pointer) {
  struct thread* const thread = pointer;
  uint64_t random = thread->seed;
  const int depth = thread->depth, is_detached = thread->is_detached;
  const long result = 1 + below(&random, 1000);
  for (int phase = 0; phase < thread->phases || phase == 0; ++phase) {
    const int operations = 1 + below(&random, MOST_OPERATIONS >> depth);
    for (int i = 0; i < operations; ++i) operate(&random, depth);
    if (thread->phases > 0 && pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) add(&serial, 1);
  }
  if (is_detached) {
    free(thread);
    sem_post(&detached_ended);
    return NULL;
  }
  if (result % 2 == 0) pthread_exit((void*)result);
  return (void*)result;
}

int main(int argc, char** argv) {
  uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  alarm(120); /* For what would hang. */
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutex_init(&mutexes[0], NULL);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutexes[1], &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutexes[2], &kind);
  for (int i = 0; i < OBJECTS; ++i) {
    pthread_rwlockattr_t prefers;
    pthread_rwlockattr_init(&prefers);
    pthread_rwlockattr_setkind_np(&prefers, i);
    pthread_rwlock_init(&rwlocks[i], &prefers);
    sem_init(&units[i], 0, 0);
  }
  sem_init(&detached_ended, 0, 0);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_key_create(&key, destroy);

  struct thread threads[MOST_THREADS];
  pthread_t ids[MOST_THREADS];
  const int count = 1 + below(&random, MOST_THREADS), phases = below(&random, 4);
  pthread_barrier_init(&barrier, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    threads[i] = (struct thread){next_random(&random), 0, phases, 0};
    must(pthread_create(&ids[i], NULL, run, &threads[i]) == 0, "create");
  }
  long results = 0;
  for (int i = 0; i < count; ++i) {
    void* result = NULL;
    must(pthread_join(ids[i], &result) == 0, "join");
    results += (long)result;
  }
  for (long i = 0; i < detached; ++i) sem_wait(&detached_ended);
  printf("threads %d phases %d results %ld serial %ld detached %ld once %ld torn %ld\n", count, phases, results,
         serial, detached, initialized, torn);
  for (int i = 0; i < OBJECTS; ++i) {
    int left = -1;
    sem_getvalue(&units[i], &left);
    printf("sum %ld pair %ld %ld units %d\n", sums[i], pairs[i][0], pairs[i][1], left);
  }
  /* Those of a detached thread come after it was waited for. */
  printf("destroyed %ld\n", detached == 0 ? destroyed : 0);
  printf("store %ld spun %ld timeouts %ld refused %ld cancelled %ld cleaned %ld\n", store, spun, timeouts, refused,
         cancelled, cleaned);
  return 0;
}
