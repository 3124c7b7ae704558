/* A pthread program that knows nothing of lwt: errno is the thread's, whatever it waits for. pthread_errno_test runs it
 * with the system's threads and with lightweight ones. In one function, because a compiler may keep errno's place. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if !defined(ONLY_WHERE_ERRNO_IS_READ) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define ONLY_WHERE_ERRNO_IS_READ
#endif
#define THREADS 8
#define ROUNDS 100

static void must(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(result));
  exit(1);
}
static int failed; /* what the threads count, in all */
static void count(int wrong) { __atomic_add_fetch(&failed, wrong, __ATOMIC_RELAXED); }
/* Runs f on THREADS threads, the number of each as its argument, and says how often errno was wrong. */
static void on_threads(const char* what, void* (*f)(void*)) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) must(pthread_create(&threads[i], NULL, f, (void*)(i + 1)), "create");
  for (int i = 0; i < THREADS; ++i) must(pthread_join(threads[i], NULL), "join");
  printf("%s: wrong %d\n", what, failed);
  failed = 0;
}
static struct timespec after(long nanoseconds) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += nanoseconds;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

static void* start(void* unused) {
  count(errno != 0);
  errno = 99; /* not the next thread's */
  return unused;
}

static void* fail_and_wait(void* number) {
  sem_t none;
  int wrong = 0;
  char byte;
  sem_init(&none, 0, 0);
  for (int i = 0; i < ROUNDS; ++i) {
    const struct timespec soon = after((long)number * 10000);
    wrong += sem_timedwait(&none, &soon) != -1 || errno != ETIMEDOUT;
    wrong += read(-1, &byte, 1) != -1 || errno != EBADF;
    errno = 0;
    wrong += strtol("99999999999999999999999", NULL, 10) == 0 || (usleep(20), errno != ERANGE);
    wrong += open("/nonexistent/file", O_RDONLY) != -1 || (sched_yield(), errno != ENOENT);
    wrong += sem_trywait(&none) != -1 || errno != EAGAIN;
  }
  sem_destroy(&none);
  count(wrong);
  return NULL;
}

/* Waits that succeed leave errno as it was. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t units;
static sem_t* named;
static long turn;
static void* nothing(void* unused) { return unused; }

static void* wait_in_all_ways(void* number) {
  const int mine = (int)(long)number;
  int wrong = 0, pipe_ends[2];
  char byte = 0;
  pthread_t child;
  for (int i = 0; i < ROUNDS; ++i) {
#define KEEPS(call) (errno = mine, (call), wrong += errno != mine)
    KEEPS(pthread_barrier_wait(&barrier));
    KEEPS(pthread_mutex_lock(&mutex));
    while (turn % THREADS != mine - 1) KEEPS(pthread_cond_wait(&turned, &mutex));
    ++turn;
    KEEPS(pthread_cond_broadcast(&turned));
    const struct timespec soon = after(1000);
    KEEPS(pthread_cond_timedwait(&turned, &mutex, &soon));
    KEEPS(pthread_mutex_unlock(&mutex));
    KEEPS(sem_wait(&units));
    KEEPS(sched_yield());
    KEEPS(sem_post(&units));
    KEEPS(sem_wait(named));
    KEEPS(usleep(1));
    KEEPS(sem_post(named));
    KEEPS(pthread_rwlock_wrlock(&rwlock));
    KEEPS(sched_yield());
    KEEPS(pthread_rwlock_unlock(&rwlock));
    KEEPS(pthread_rwlock_rdlock(&rwlock));
    KEEPS(pthread_rwlock_unlock(&rwlock));
    must(pthread_create(&child, NULL, nothing, NULL), "create");
    KEEPS(pthread_join(child, NULL));
    const struct timespec instant = {0, 1000};
    KEEPS(nanosleep(&instant, NULL));
    KEEPS(clock_nanosleep(CLOCK_MONOTONIC, 0, &instant, NULL));
    KEEPS(poll(NULL, 0, 1));
    if (pipe(pipe_ends) != 0) exit(1);
    KEEPS(write(pipe_ends[1], &byte, 1));
    KEEPS(read(pipe_ends[0], &byte, 1));
    close(pipe_ends[0]);
    close(pipe_ends[1]);
  }
  count(wrong);
  return NULL;
}

/* A reader that waits in read, until a unit comes from the writer of its pipe. */
static int pipes[THREADS][2];
static void* wait_to_read(void* number) {
  const int mine = (int)(long)number, end = pipes[mine - 1][0];
  int wrong = 0;
  char byte = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    errno = mine;
    if (read(end, &byte, 1) != 1) exit(1);
    wrong += errno != mine;
  }
  count(wrong);
  return NULL;
}
static void* give_to_all(void* unused) {
  for (int i = 0; i < ROUNDS; ++i) {
    for (int j = 0; j < THREADS; ++j) {
      if (write(pipes[j][1], "", 1) != 1) exit(1);
      sched_yield();
    }
  }
  return unused;
}
static void read_from_a_writer(void) {
  pthread_t writer;
  for (int i = 0; i < THREADS; ++i) must(pipe(pipes[i]), "pipe");
  must(pthread_create(&writer, NULL, give_to_all, NULL), "create");
  on_threads("reads", wait_to_read);
  must(pthread_join(writer, NULL), "join");
}

/* A compiler may ask for errno's place before it calls the function on the right. */
#if !defined(ONLY_WHERE_ERRNO_IS_READ)
static int wait_and_give(int value) {
  usleep(1);
  sched_yield();
  return value;
}
static void* assign(void* number) {
  int wrong = 0;
  for (int i = 0; i < 10 * ROUNDS; ++i) {
    errno = wait_and_give((int)(long)number);
    wrong += errno != (int)(long)number;
    errno |= wait_and_give(16);
    wrong += errno != ((int)(long)number | 16);
  }
  count(wrong);
  return NULL;
}
#endif

int main(void) {
  char name[64];
  do { /* A process of another sandbox may have the same number and the same /dev/shm. */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, "/pthread_errno.%d.%ld", (int)getpid(), now.tv_nsec);
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
  } while (named == SEM_FAILED && errno == EEXIST);
  if (named == SEM_FAILED) return 1;
  sem_unlink(name);
  sem_init(&units, 0, 2);
  must(pthread_barrier_init(&barrier, NULL, THREADS), "barrier");
  errno = 77;
  on_threads("of a new thread", start);
  on_threads("of a failed call", fail_and_wait);
  on_threads("over waits", wait_in_all_ways);
  read_from_a_writer();
#if !defined(ONLY_WHERE_ERRNO_IS_READ)
  on_threads("of an assignment", assign);
#endif
  printf("main's %d\n", errno);
  sem_close(named);
  /* The function by its name, and its address. */
#if defined(LWT_PTHREAD_ERRNO_HAS_ADDRESS)
  int* const place = &errno;
  *place = 5;
#else
  errno = 5;
#endif
  printf("by a call %d\n", *(__errno_location)());
  return 0;
}
