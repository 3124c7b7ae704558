/* Each call that lwt refuses and the system does not, with its error: pthread_page_test compares them with the page
 * lwt/pthread/functions.md. For lightweight threads, without LWT_PROCESS_SHARED_IS_PRIVATE. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Linux has one number for ENOTSUP and another name. */
static void show(const char* function, int error) {
  printf("%s %s\n", function, error == ENOTSUP ? "ENOTSUP" : strerrorname_np(error));
}

static void* wait_for(void* semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
  return NULL;
}

static void show_attributes(void) {
  pthread_attr_t attr;
  pthread_t thread;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  pthread_attr_init(&attr);
  show("pthread_attr_setaffinity_np", pthread_attr_setaffinity_np(&attr, sizeof one, &one));
  show("pthread_setattr_default_np", pthread_setattr_default_np(&attr));
  const struct sched_param priority = {1};
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &priority);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  show("pthread_create", pthread_create(&thread, &attr, wait_for, NULL));

  pthread_mutexattr_t of_mutex;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&of_mutex);
  show("pthread_mutexattr_setrobust", pthread_mutexattr_setrobust(&of_mutex, PTHREAD_MUTEX_ROBUST));
  show("pthread_mutexattr_setpshared", pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED));
  pthread_mutexattr_setprotocol(&of_mutex, PTHREAD_PRIO_PROTECT);
  show("pthread_mutex_init", pthread_mutex_init(&mutex, &of_mutex));
  pthread_condattr_t of_condition;
  pthread_condattr_init(&of_condition);
  show("pthread_condattr_setpshared", pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED));
  pthread_rwlockattr_t of_rwlock;
  pthread_rwlockattr_init(&of_rwlock);
  show("pthread_rwlockattr_setpshared", pthread_rwlockattr_setpshared(&of_rwlock, PTHREAD_PROCESS_SHARED));
  pthread_barrierattr_t of_barrier;
  pthread_barrierattr_init(&of_barrier);
  show("pthread_barrierattr_setpshared", pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED));
  pthread_spinlock_t spin;
  show("pthread_spin_init", pthread_spin_init(&spin, PTHREAD_PROCESS_SHARED));
  sem_t semaphore;
  show("sem_init", sem_init(&semaphore, 1, 0) == 0 ? 0 : errno);
}

static void show_main(void) {
  const pthread_t main_thread = pthread_self();
  const struct timespec past = {1, 0};
  const union sigval value = {0};
  show("pthread_detach", pthread_detach(main_thread));
  show("pthread_cancel", pthread_cancel(main_thread));
  show("pthread_tryjoin_np", pthread_tryjoin_np(main_thread, NULL));
  show("pthread_timedjoin_np", pthread_timedjoin_np(main_thread, NULL, &past));
  show("pthread_clockjoin_np", pthread_clockjoin_np(main_thread, NULL, CLOCK_REALTIME, &past));
  show("pthread_join", pthread_join(main_thread, NULL));
  show("pthread_sigqueue", pthread_sigqueue(main_thread, SIGURG, value));
}

static int is(int error, int expected, const char* what) {
  if (error == expected) return 1;
  fprintf(stderr, "%s: %s\n", what, strerrorname_np(error));
  return 0;
}

int main(void) {
  static sem_t semaphore; /* The detached thread may use it when main has returned. */
  pthread_t thread;
  clockid_t clock;
  cpu_set_t one;
  const struct sched_param priority = {1};
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  show_attributes();
  show_main();
  sem_init(&semaphore, 0, 0);
  if (pthread_create(&thread, NULL, wait_for, &semaphore) != 0) return 1;
  show("pthread_setschedparam", pthread_setschedparam(thread, SCHED_RR, &priority));
  show("pthread_setaffinity_np", pthread_setaffinity_np(thread, sizeof one, &one));
  show("pthread_getcpuclockid", pthread_getcpuclockid(thread, &clock));
  const struct timespec soon = {0, 1};
  show("clock_nanosleep", clock_nanosleep(CLOCK_BOOTTIME, 0, &soon, NULL));

  /* Threads that have ended are told as such. */
  int right = is(pthread_kill(thread, 0), 0, "kill of a thread that runs");
  right &= is(pthread_kill(thread, 65), EINVAL, "kill with no signal");
  sem_post(&semaphore);
  if (pthread_join(thread, NULL) != 0) return 1;
  right &= is(pthread_kill(thread, 0), ESRCH, "kill");
  right &= is(pthread_kill(thread, SIGKILL), ESRCH, "kill with a deadly signal");
  right &= is(pthread_join(thread, NULL), ESRCH, "join");
  right &= is(pthread_tryjoin_np(thread, NULL), ESRCH, "tryjoin");
  right &= is(pthread_detach(thread), ESRCH, "detach");
  right &= is(pthread_cancel(thread), ESRCH, "cancel");
  right &= is(pthread_getcpuclockid(thread, &clock), ESRCH, "getcpuclockid");
  right &= is(pthread_setschedprio(thread, 0), ESRCH, "setschedprio");
  /* One that runs and was detached is not joinable. */
  if (pthread_create(&thread, NULL, wait_for, &semaphore) != 0) return 1;
  right &= is(pthread_detach(thread), 0, "detach");
  right &= is(pthread_detach(thread), EINVAL, "detach again");
  right &= is(pthread_join(thread, NULL), EINVAL, "join of a detached one");
  sem_post(&semaphore);
  return right ? 0 : 1;
}
