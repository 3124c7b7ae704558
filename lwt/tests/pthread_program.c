/* A pthread program that knows nothing of lwt: pthread_program_test runs it with the system's threads and with
 * lightweight ones. Each part counts what must have happened whatever the schedule was. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 200
/* Threads at once. BUILD has fewer of the system's, since programs that run at once share a limit of those. */
#if (defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)) && !defined(MANY)
#define MANY 1000 /* One knows of no more than 8,128, and the other marks each stack. */
#elif !defined(MANY)
#define MANY 10000
#endif

static void must(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(result));
  exit(1);
}

/* Runs f on THREADS threads, the number of each as its argument, and joins them. */
static void on_threads(void* (*f)(void*)) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) {
    must(pthread_create(&threads[i], NULL, f, (void*)i), "create");
  }
  for (int i = 0; i < THREADS; ++i) must(pthread_join(threads[i], NULL), "join");
}

/* Producers and consumers of a buffer that is smaller than what goes through it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long buffer[4], filled, consumed;

static void* produce_or_consume(void* number) {
  for (long i = 1; i <= ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    if ((long)number % 2 == 0) {
      while (filled == 4) pthread_cond_wait(&not_full, &mutex);
      buffer[filled++] = i;
      pthread_cond_signal(&not_empty);
    } else {
      while (filled == 0) pthread_cond_wait(&not_empty, &mutex);
      consumed += buffer[--filled];
      pthread_cond_signal(&not_full);
    }
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

/* A writer changes both numbers, so no reader sees them differ. */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long one, other, torn, reads;

static void* read_or_write(void* number) {
  for (int i = 0; i < ROUNDS; ++i) {
    if ((long)number % 4 == 0) {
      pthread_rwlock_wrlock(&rwlock);
      ++one;
      if (i % 8 == 0) sched_yield();
      ++other;
    } else {
      pthread_rwlock_rdlock(&rwlock);
      if (one != other) __atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
      __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED);
    }
    pthread_rwlock_unlock(&rwlock);
  }
  return NULL;
}

/* The destructor gets each thread's value, and once more what it sets itself. */
static pthread_key_t key;
static long destroyed, rounds_of_destruction;

static void destroy(void* value) {
  __atomic_fetch_add(&rounds_of_destruction, 1, __ATOMIC_RELAXED);
  if ((long)value < 1000) {
    pthread_setspecific(key, (void*)((long)value + 1000));
  } else {
    __atomic_fetch_add(&destroyed, (long)value - 1000, __ATOMIC_RELAXED);
  }
}
static void* set_value(void* number) {
  if (pthread_getspecific(key) != NULL) exit(1);
  pthread_setspecific(key, (void*)((long)number + 1));
  sched_yield();
  if (pthread_getspecific(key) != (void*)((long)number + 1)) exit(1);
  if ((long)number % 2 == 0) pthread_exit(NULL);
  return NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static long times_initialized, serial, early, arrived;

static void initialize(void) { ++times_initialized; }
static void* meet(void* number) {
  (void)number;
  pthread_once(&once, initialize);
  for (long i = 1; i <= ROUNDS; ++i) {
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
      __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
    }
    if (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < i * THREADS) {
      __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED);
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

/* Detached threads, of which main knows by a semaphore. */
static sem_t ended;
static void* end_detached(void* number) {
  (void)number;
  pthread_detach(pthread_self());
  sem_post(&ended);
  return NULL;
}
static void* end_created_detached(void* number) {
  (void)number;
  usleep(10);
  sem_post(&ended);
  return NULL;
}

/* As many at once as there are: each waits until all have begun. */
static long begun;
static void* wait_for_all(void* sum) {
  pthread_mutex_lock(&mutex);
  if (++begun == MANY) pthread_cond_broadcast(&not_empty);
  while (begun < MANY) pthread_cond_wait(&not_empty, &mutex);
  ++*(long*)sum;
  pthread_mutex_unlock(&mutex);
  return sum;
}

/* Kinds of mutexes, and locks with deadlines. */
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void* try_while_held(void* results) {
  const struct timespec past = {1, 0};
  long* const errors = results;
  errors[0] = pthread_mutex_trylock(&recursive);
  errors[1] = pthread_mutex_unlock(&recursive);
  errors[2] = pthread_mutex_timedlock(&checking, &past);
  errors[3] = pthread_rwlock_tryrdlock(&rwlock);
  errors[4] = pthread_rwlock_timedwrlock(&rwlock, &past);
  return NULL;
}

static void show_kinds(void) {
  long errors[5];
  pthread_t thread;
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&checking);
  pthread_rwlock_wrlock(&rwlock);
  const int twice = pthread_mutex_lock(&checking);
  const int inside = pthread_rwlock_wrlock(&rwlock);
  must(pthread_create(&thread, NULL, try_while_held, errors), "create");
  must(pthread_join(thread, NULL), "join");
  printf("again %s, rwlock again %s;", strerror(twice), strerror(inside));
  for (int i = 0; i < 5; ++i) printf(" %s", strerror((int)errors[i]));
  must(pthread_mutex_unlock(&recursive), "unlock");
  must(pthread_mutex_unlock(&recursive), "unlock");
  must(pthread_mutex_unlock(&checking), "unlock");
  must(pthread_rwlock_unlock(&rwlock), "unlock");
  printf("; free %s\n", strerror(pthread_mutex_unlock(&checking)));
}

/* A thread that is cancelled while it waits: its cleanup handler holds the mutex. */
static long cleaned;
static void clean(void* value) {
  cleaned = (long)value;
  usleep(1); /* A cancellation point, at which a thread that ends is not cancelled again. */
  pthread_mutex_unlock(&mutex);
}
static void* wait_for_ever(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  sem_post(&ended);
  pthread_cleanup_push(clean, (void*)77);
  while (filled < 1000) pthread_cond_wait(&not_full, &mutex);
  pthread_cleanup_pop(1);
  return NULL;
}

static void* deep(void* bytes) {
  volatile char stack[6 << 20];
  memset((char*)stack, 1, sizeof stack);
  return (void*)((long)bytes + stack[sizeof stack / 2]);
}

static void* wait_for_semaphore(void* unused) {
  sem_wait(&ended);
  return unused;
}

int main(void) {
  sem_init(&ended, 0, 0);
  on_threads(produce_or_consume);
  printf("consumed %ld left %ld\n", consumed, filled);

  on_threads(read_or_write);
  printf("written %ld %ld reads %ld torn %ld\n", one, other, reads, torn);

  pthread_key_create(&key, destroy);
  on_threads(set_value);
  printf("destroyed %ld in %ld calls\n", destroyed, rounds_of_destruction);
  pthread_key_delete(key);

  pthread_barrier_init(&barrier, NULL, THREADS);
  on_threads(meet);
  printf("initialized %ld serial %ld early %ld\n", times_initialized, serial, early);

  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  for (int i = 0; i < THREADS; ++i) {
    must(pthread_create(&thread, NULL, end_detached, NULL), "create");
    must(pthread_create(&thread, &attr, end_created_detached, NULL), "create");
  }
  for (int i = 0; i < 2 * THREADS; ++i) sem_wait(&ended);
  printf("all detached ones ended\n");

  static pthread_t many[MANY];
  static long counts[MANY];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (int i = 0; i < MANY; ++i) {
    must(pthread_create(&many[i], &small, wait_for_all, &counts[i]), "create one of many");
  }
  long joined = 0;
  for (int i = 0; i < MANY; ++i) {
    void* result = NULL;
    must(pthread_join(many[i], &result), "join one of many");
    joined += *(long*)result;
  }
  printf("all of many %d\n", joined == MANY);

  show_kinds();

  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 5 * 1000 * 1000;
  if (soon.tv_nsec >= 1000000000) ++soon.tv_sec, soon.tv_nsec -= 1000000000;
  pthread_mutex_lock(&mutex);
  printf("timed wait: %s\n", strerror(pthread_cond_timedwait(&not_full, &mutex, &soon)));
  pthread_mutex_unlock(&mutex);
  const int waited = sem_timedwait(&ended, &soon);
  printf("timed semaphore: %d %s\n", waited, strerror(errno));

  void* result = NULL;
  must(pthread_create(&thread, NULL, wait_for_ever, NULL), "create");
  sem_wait(&ended);
  must(pthread_cancel(thread), "cancel");
  must(pthread_join(thread, &result), "join");
  printf("cancelled %d cleaned %ld\n", result == PTHREAD_CANCELED, cleaned);

  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 8 << 20);
  must(pthread_create(&thread, &large, deep, (void*)41), "create with a large stack");
  must(pthread_join(thread, &result), "join");
  printf("deep %ld\n", (long)result);

  must(pthread_create(&thread, NULL, wait_for_semaphore, NULL), "create one to detach");
  must(pthread_detach(thread), "detach");
  printf("joined though detached: %s; ", strerror(pthread_join(thread, &result)));
  sem_post(&ended);

  printf("self %d\n", pthread_equal(pthread_self(), pthread_self()) != 0);
  return 0;
}
