/* MassiveThreads' synchronization as a C program uses it. Each part counts what
 * must have happened whatever the schedule was. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lwt/myth.h"

#define THREADS 8
#define ROUNDS 200

/* Runs f on THREADS threads, the number of each as its argument, and joins them. */
static void on_threads(myth_func_t f) {
  myth_thread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) {
    threads[i] = myth_create(f, (void*)i);
    if (threads[i] == NULL) exit(1);
  }
  for (int i = 0; i < THREADS; ++i) myth_join(threads[i], NULL);
}

/* A mutex and a cond without a call of init; a box of one item under them. */
static myth_mutex_t mutex = MYTH_MUTEX_INITIALIZER;
static myth_cond_t changed = MYTH_COND_INITIALIZER;
static long count, box, taken;

static void* add(void* number) {
  (void)number;
  for (int i = 0; i < ROUNDS; ++i) {
    myth_mutex_lock(&mutex);
    ++count;
    myth_mutex_unlock(&mutex);
    if (i % 16 == 0) myth_yield();
  }
  return NULL;
}

/* The even ones put 1 to ROUNDS in, the odd ones take as many out. */
static void* put_or_take(void* number) {
  for (long i = 1; i <= ROUNDS; ++i) {
    myth_mutex_lock(&mutex);
    if ((long)number % 2 == 0) {
      while (box != 0) myth_cond_wait(&changed, &mutex);
      box = i;
    } else {
      while (box == 0) myth_cond_wait(&changed, &mutex);
      taken += box;
      box = 0;
    }
    myth_cond_broadcast(&changed);
    myth_mutex_unlock(&mutex);
  }
  return NULL;
}

static myth_barrier_t barrier;
static long serial, early, arrived[THREADS];

static void* arrive(void* number) {
  for (long round = 1; round <= ROUNDS; ++round) {
    arrived[(long)number] = round;
    if (myth_barrier_wait(&barrier) == MYTH_BARRIER_SERIAL_THREAD) ++serial;
    for (int i = 0; i < THREADS; ++i) {
      if (arrived[i] != round) ++early;
    }
    myth_barrier_wait(&barrier);
  }
  return NULL;
}

static myth_join_counter_t join_counter;
static int done[THREADS];

static void* decrement(void* number) {
  done[(long)number] = 1;
  myth_join_counter_dec(&join_counter);
  return NULL;
}

static myth_felock_t felock;
static long cell, passed;

/* As put_or_take: the cell is full where the status is 1. */
static void* write_or_read(void* number) {
  for (long i = 1; i <= ROUNDS; ++i) {
    int full = (long)number % 2;
    myth_felock_wait_and_lock(&felock, full);
    if (full) {
      passed += cell;
    } else {
      cell = i;
    }
    myth_felock_mark_and_signal(&felock, !full);
  }
  return NULL;
}

/* On a worker and outside. */
static void* errors(void* unused) {
  struct timespec past = {1, 0}, none = {0, -1}, left = {1, 1};
  long wrong = 0;
  (void)unused;
  myth_mutex_lock(&mutex);
  wrong += myth_mutex_trylock(&mutex) != EBUSY;
  wrong += myth_cond_timedwait(&changed, &mutex, &past) != ETIMEDOUT;
  wrong += myth_cond_timedwait(&changed, &mutex, &none) != EINVAL;
  myth_mutex_unlock(&mutex);
  wrong += myth_mutex_trylock(&mutex) != 0;
  myth_mutex_unlock(&mutex);
  wrong += myth_barrier_init(&barrier, NULL, 0) != EINVAL;
  wrong += myth_join_counter_init(&join_counter, NULL, -1) != EINVAL;
  wrong += myth_felock_wait_and_lock(&felock, 2) != EINVAL;
  wrong += myth_sleep(0) != 0 || myth_usleep(100) != 0;
  wrong += myth_nanosleep(&none, NULL) != EINVAL;
  none.tv_nsec = 1000;
  wrong += myth_nanosleep(&none, &left) != 0 || left.tv_sec != 0 || left.tv_nsec != 0;
  return (void*)wrong;
}

int main(void) {
  void* wrong;
  if (myth_init() != 0) return 1;
  printf("workers %d", myth_get_num_workers());
  on_threads(add);
  printf(" count %ld", count);
  on_threads(put_or_take);
  printf(" taken %ld", taken);

  myth_barrier_init(&barrier, NULL, THREADS);
  on_threads(arrive);
  myth_barrier_destroy(&barrier);
  printf(" serial %ld early %ld", serial, early);

  int decremented = 0;
  myth_join_counter_init(&join_counter, NULL, THREADS);
  for (long i = 0; i < THREADS; ++i) myth_detach(myth_create(decrement, (void*)i));
  myth_join_counter_wait(&join_counter); /* main is an OS thread outside of the workers */
  for (int i = 0; i < THREADS; ++i) decremented += done[i];
  printf(" decremented %d", decremented);

  myth_felock_init(&felock, NULL);
  on_threads(write_or_read);
  printf(" passed %ld status %d", passed, myth_felock_status(&felock));

  myth_join(myth_create(errors, NULL), &wrong);
  printf(" wrong %ld %ld\n", (long)wrong, (long)errors(NULL));
  myth_felock_destroy(&felock);
  myth_fini();
  return 0;
}
