/* A pthread program of one process whose objects are shared by processes, as far as the objects know:
 * pthread_shared_test runs it with the system's threads, and with lightweight ones and LWT_PROCESS_SHARED_IS_PRIVATE. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 500

static void must(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(result));
  exit(1);
}

static pthread_mutex_t mutex;
static pthread_cond_t changed;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static long turns, written, counted, posted;

static void* work(void* number) {
  for (long i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    while (turns % THREADS != (long)number) pthread_cond_wait(&changed, &mutex);
    ++turns;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    ++written;
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    ++counted;
    pthread_spin_unlock(&spin);
    sem_wait(&semaphore);
    ++posted;
    sem_post(&semaphore);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  int kept[4] = {-1, -1, -1, -1};
  pthread_mutexattr_t of_mutex;
  pthread_mutexattr_init(&of_mutex);
  must(pthread_mutexattr_settype(&of_mutex, PTHREAD_MUTEX_ERRORCHECK), "settype");
  must(pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED), "mutexattr");
  pthread_mutexattr_getpshared(&of_mutex, &kept[0]);
  must(pthread_mutex_init(&mutex, &of_mutex), "mutex");

  pthread_condattr_t of_condition;
  pthread_condattr_init(&of_condition);
  must(pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED), "condattr");
  must(pthread_condattr_setclock(&of_condition, CLOCK_MONOTONIC), "setclock");
  clockid_t clock;
  pthread_condattr_getclock(&of_condition, &clock);
  pthread_condattr_getpshared(&of_condition, &kept[1]);
  must(pthread_cond_init(&changed, &of_condition), "cond");

  pthread_rwlockattr_t of_rwlock;
  pthread_rwlockattr_init(&of_rwlock);
  must(pthread_rwlockattr_setpshared(&of_rwlock, PTHREAD_PROCESS_SHARED), "rwlockattr");
  must(pthread_rwlockattr_setkind_np(&of_rwlock, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP), "setkind");
  pthread_rwlockattr_getpshared(&of_rwlock, &kept[2]);
  must(pthread_rwlock_init(&rwlock, &of_rwlock), "rwlock");

  pthread_barrierattr_t of_barrier;
  pthread_barrierattr_init(&of_barrier);
  must(pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED), "barrierattr");
  pthread_barrierattr_getpshared(&of_barrier, &kept[3]);
  must(pthread_barrier_init(&barrier, &of_barrier, THREADS), "barrier");

  must(pthread_spin_init(&spin, PTHREAD_PROCESS_SHARED), "spin");
  must(sem_init(&semaphore, 1, 1), "semaphore");
  for (int i = 0; i < 4; ++i) printf("%d", kept[i] == PTHREAD_PROCESS_SHARED);
  printf(", clock %d, again free %s", clock == CLOCK_MONOTONIC, strerror(pthread_mutex_unlock(&mutex)));
  pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_PRIVATE);
  pthread_mutexattr_getpshared(&of_mutex, &kept[0]);
  printf(", private %d, %s\n", kept[0] == PTHREAD_PROCESS_PRIVATE, strerror(pthread_mutexattr_setpshared(&of_mutex, 5)));

  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) must(pthread_create(&threads[i], NULL, work, (void*)i), "create");
  for (int i = 0; i < THREADS; ++i) must(pthread_join(threads[i], NULL), "join");
  printf("turns %ld written %ld counted %ld posted %ld\n", turns, written, counted, posted);
  return 0;
}
