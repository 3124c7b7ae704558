/* A pthread program that knows nothing of lwt: signals to threads and to the process, masks, and waits for signals.
 * pthread_signals_test runs it with the system's threads and with lightweight ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(result));
  exit(1);
}
static pthread_t start(void* (*f)(void*), void* argument) {
  pthread_t thread;
  must(pthread_create(&thread, NULL, f, argument), "create");
  return thread;
}
static sigset_t set_of(int a, int b) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, a);
  sigaddset(&set, b);
  return set;
}
static int blocks(int signal) {
  sigset_t now;
  must(pthread_sigmask(SIG_BLOCK, NULL, &now), "sigmask");
  return sigismember(&now, signal);
}
static void set_mask(int how, int signal) {
  const sigset_t set = set_of(signal, signal);
  must(pthread_sigmask(how, &set, NULL), "sigmask");
}

/* Counted by handlers. */
static volatile int handled[65];
static volatile int wrong_thread;
static pthread_t expected_thread;
static sem_t in_handler;

static void handle(int signal) {
  if (!pthread_equal(pthread_self(), expected_thread)) wrong_thread = 1;
  ++handled[signal];
  sem_post(&in_handler);
}
static void handle_by(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  must(sigaction(signal, &action, NULL), "sigaction");
}

/* A mask is the thread's, and its children's from the start. */
static void* look_at_mask(void* unused) {
  (void)unused;
  return (void*)(long)(blocks(SIGUSR1) * 10 + blocks(SIGUSR2));
}
static void* change_mask(void* unused) {
  void* of_child;
  const long before = (long)look_at_mask(unused);
  set_mask(SIG_BLOCK, SIGUSR1);
  sched_yield();
  must(pthread_join(start(look_at_mask, NULL), &of_child), "join");
  set_mask(SIG_SETMASK, SIGUSR2);
  return (void*)(before * 10000 + (long)of_child * 100 + (long)look_at_mask(unused));
}

/* Signals of a thread to itself: kept while they are blocked. */
static void* raise_in_thread(void* unused) {
  sigset_t pending;
  expected_thread = pthread_self();
  set_mask(SIG_BLOCK, SIGUSR1);
  raise(SIGUSR1);
  must(pthread_kill(pthread_self(), SIGUSR1), "kill");
  sigpending(&pending);
  const int kept = sigismember(&pending, SIGUSR1) && !sigismember(&pending, SIGUSR2);
  printf("kept %d handled %d;", kept, handled[SIGUSR1]);
  set_mask(SIG_UNBLOCK, SIGUSR1);
  printf(" unblocked: handled %d;", handled[SIGUSR1]);
  raise(SIGUSR1);
  sigpending(&pending);
  printf(" raised: %d, left %d, wrong thread %d\n", handled[SIGUSR1], sigismember(&pending, SIGUSR1), wrong_thread);
  while (sem_trywait(&in_handler) == 0) {
  }
  return unused;
}

/* A signal to a thread that waits: the handler runs, and the wait goes on. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int go_on;
static void* wait_for_change(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!go_on) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* wait_for_lock(void* result) {
  *(int*)result = pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  return result;
}

/* A signal ends the sleep of its thread, which goes on to its end when main has sent the last one: a thread that ends
 * may or may not handle a signal, and whether it can be sent one differs. */
static sem_t is_awake, may_end;
static void* end_after(long result) {
  sem_post(&is_awake);
  while (sem_wait(&may_end) != 0) {
  }
  return (void*)result;
}
static void* sleep_long(void* left) {
  const struct timespec hour = {3600, 0};
  const int result = nanosleep(&hour, left);
  return end_after(result == -1);
}
static void* sleep_by_seconds(void* unused) {
  (void)unused;
  return end_after(sleep(3600) > 3000);
}
static void* pause_once(void* unused) {
  (void)unused;
  return end_after(pause());
}
static void signal_until_it_ends(const char* what, pthread_t thread, long result) {
  void* ended_with = NULL;
  int error = 0;
  expected_thread = thread;
  do {
    must(pthread_kill(thread, SIGUSR1), "kill");
    sem_wait(&in_handler);
    usleep(2000); /* It may not sleep yet. */
    error = pthread_tryjoin_np(thread, &ended_with);
    if (error != EBUSY) printf("tryjoin of one that may not end: %s\n", strerror(error));
  } while (sem_trywait(&is_awake) != 0);
  sem_post(&may_end);
  while ((error = pthread_tryjoin_np(thread, &ended_with)) == EBUSY) usleep(100);
  must(error, "tryjoin");
  printf("%s: %s\n", what, (long)ended_with == result ? "interrupted" : "went on");
}

/* One thread waits for the signals that all block. */
static void* wait_for_signals(void* sum) {
  const sigset_t set = set_of(SIGUSR1, SIGTERM);
  for (int i = 0; i < 3; ++i) {
    int got = 0;
    must(sigwait(&set, &got), "sigwait");
    *(int*)sum += got == SIGUSR1 ? 1 : got == SIGTERM ? 100 : 1000000;
    sem_post(&in_handler);
  }
  const struct timespec soon = {0, 1000000};
  const int late = sigtimedwait(&set, NULL, &soon);
  return (void*)(long)(late == -1);
}

/* The one thread that does not block a signal gets it. */
static sem_t is_open;
static void* take_signals(void* number) {
  expected_thread = pthread_self();
  set_mask(SIG_UNBLOCK, SIGUSR2);
  sem_post(&is_open);
  pthread_mutex_lock(&mutex);
  while (handled[SIGUSR2] < *(int*)number) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    if (soon.tv_nsec >= 1000000000) ++soon.tv_sec, soon.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&changed, &mutex, &soon);
  }
  pthread_mutex_unlock(&mutex);
  return number;
}

/* Processes that a thread starts can be ended by signals. */
static void* start_processes(void* unused) {
  const int status = system("kill -TERM $$; exit 3");
  printf("system: %s;", WIFSIGNALED(status) ? "ended by a signal" : "the signal was blocked");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    _exit(sigismember(&now, SIGTERM) + 2 * sigismember(&now, SIGUSR2));
  }
  int exited = 0;
  waitpid(child, &exited, 0);
  printf(" fork: %d\n", WEXITSTATUS(exited));
  return unused;
}

int main(void) {
  void* result;
  sem_init(&in_handler, 0, 0);
  sem_init(&is_awake, 0, 0);
  sem_init(&may_end, 0, 0);
  sem_init(&is_open, 0, 0);
  handle_by(SIGUSR1);
  handle_by(SIGUSR2);

  must(pthread_join(start(change_mask, NULL), &result), "join");
  printf("masks %06ld main %d%d\n", (long)result, blocks(SIGUSR1), blocks(SIGUSR2));
  must(pthread_join(start(raise_in_thread, NULL), NULL), "join");

  expected_thread = start(wait_for_change, NULL);
  for (int i = 0; i < 3; ++i) {
    must(pthread_kill(expected_thread, SIGUSR1), "kill");
    sem_wait(&in_handler);
  }
  pthread_mutex_lock(&mutex);
  go_on = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  must(pthread_join(expected_thread, NULL), "join");
  int locked = -1;
  pthread_rwlock_wrlock(&rwlock);
  expected_thread = start(wait_for_lock, &locked);
  must(pthread_kill(expected_thread, SIGUSR1), "kill");
  sem_wait(&in_handler);
  printf("locked early %d,", locked);
  pthread_rwlock_unlock(&rwlock);
  must(pthread_join(expected_thread, NULL), "join");
  printf(" then %d; wrong thread %d\n", locked, wrong_thread);

  struct timespec left = {0, 0};
  signal_until_it_ends("nanosleep", start(sleep_long, &left), 1);
  printf("left %d\n", left.tv_sec > 3000);
  signal_until_it_ends("sleep", start(sleep_by_seconds, NULL), 1);
  signal_until_it_ends("pause", start(pause_once, NULL), -1);
  expected_thread = pthread_self();
  must(pthread_kill(pthread_self(), SIGUSR1), "kill main");
  sem_wait(&in_handler);
  printf("wrong thread %d\n", wrong_thread);

  const sigset_t set = set_of(SIGUSR1, SIGTERM);
  must(pthread_sigmask(SIG_BLOCK, &set, NULL), "sigmask");
  int sum = 0;
  const pthread_t waiter = start(wait_for_signals, &sum);
  kill(getpid(), SIGTERM);
  sem_wait(&in_handler);
  must(pthread_kill(waiter, SIGUSR1), "kill");
  sem_wait(&in_handler);
  kill(getpid(), SIGUSR1);
  must(pthread_join(waiter, &result), "join");
  printf("awaited %d, then none %ld\n", sum, (long)result);

  set_mask(SIG_BLOCK, SIGUSR2);
  int times = handled[SIGUSR2] + 3;
  const pthread_t taker = start(take_signals, &times);
  sem_wait(&is_open);
  sem_wait(&in_handler) /* of the third above */;
  for (int i = 0; i < 3; ++i) {
    kill(getpid(), SIGUSR2);
    sem_wait(&in_handler);
    /* A child's mask is its own. */
    const pid_t child = fork();
    if (child == 0) {
      set_mask(SIG_UNBLOCK, SIGUSR2);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
  must(pthread_join(taker, NULL), "join");
  printf("taken %d wrong thread %d\n", handled[SIGUSR2], wrong_thread);

  set_mask(SIG_UNBLOCK, SIGTERM);
  must(pthread_join(start(start_processes, NULL), NULL), "join");
  return 0;
}
