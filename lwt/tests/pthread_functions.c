/* A pthread program that knows nothing of lwt: fork handlers, named semaphores, schedules, names, and attributes.
 * pthread_functions_test runs it with the system's threads and with lightweight ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
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
static void in_thread(void* (*f)(void*)) {
  pthread_t thread;
  must(pthread_create(&thread, NULL, f, NULL), "create");
  must(pthread_join(thread, NULL), "join");
}

static char order[8];
static void note(char what) { order[strlen(order)] = what; }
static void prepare(void) { note('p'); }
static void in_parent(void) { note('P'); }
static void in_child(void) { note('C'); }
static void* fork_with_handlers(void* unused) {
  must(pthread_atfork(prepare, in_parent, in_child), "atfork");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(strcmp(order, "pC") != 0);
  int status = -1;
  waitpid(child, &status, 0);
  printf("atfork %s, child %d\n", order, WEXITSTATUS(status));
  return unused;
}

/* Units go from a child process to a thread and back, and between two threads. */
static sem_t* to_child;
static sem_t* to_parent;
static sem_t* between;
static void* answer(void* unused) {
  for (int i = 0; i < 100; ++i) {
    sem_wait(to_parent);
    sem_post(to_child);
  }
  return unused;
}
static void* give(void* unused) {
  for (int i = 0; i < 1000; ++i) sem_post(between);
  return unused;
}
/* A process of another sandbox may have the same number and the same /dev/shm. */
static sem_t* open_new(char (*name)[64]) {
  sem_t* opened;
  do {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(*name, sizeof *name, "/pthread_functions.%d.%ld", (int)getpid(), now.tv_nsec);
    opened = sem_open(*name, O_CREAT | O_EXCL, 0600, 0);
  } while (opened == SEM_FAILED && errno == EEXIST);
  return opened;
}
static void meet_by_names(void) {
  char names[3][64];
  to_child = open_new(&names[0]);
  to_parent = open_new(&names[1]);
  between = open_new(&names[2]);
  printf("named: opened %d", to_child != SEM_FAILED && to_parent != SEM_FAILED && between != SEM_FAILED);
  printf(", again the same %d", sem_open(names[0], 0) == to_child);
  printf(", exclusively %d", sem_open(names[0], O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) {
      sem_post(to_parent);
      if (sem_wait(to_child) != 0) _exit(1);
    }
    _exit(0);
  }
  in_thread(answer);
  int status = -1;
  waitpid(child, &status, 0);
  pthread_t giver;
  must(pthread_create(&giver, NULL, give, NULL), "create");
  for (int i = 0; i < 1000; ++i) sem_wait(between);
  must(pthread_join(giver, NULL), "join");
  int left = -1;
  sem_getvalue(between, &left);
  struct timespec past = {1, 0};
  const int late = sem_timedwait(between, &past) == -1 && errno == ETIMEDOUT;
  const int none = sem_trywait(between) == -1 && errno == EAGAIN;
  printf(", child %d, left %d %d %d", WEXITSTATUS(status), left, late, none);
  for (int i = 0; i < 3; ++i) sem_unlink(names[i]);
  printf(", unlinked %d", sem_open(names[0], 0) == SEM_FAILED && errno == ENOENT);
  printf(", closed %d %d\n", sem_close(to_child), sem_close(to_parent));
  sem_close(between);
}

static void* show_schedule(void* unused) {
  int policy = -1;
  struct sched_param parameters = {-1};
  must(pthread_getschedparam(pthread_self(), &policy, &parameters), "getschedparam");
  printf("schedule %d %d;", policy == SCHED_OTHER, parameters.sched_priority);
  parameters.sched_priority = 0;
  must(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters), "setschedparam");
  must(pthread_setschedprio(pthread_self(), 0), "setschedprio");
  parameters.sched_priority = 1000;
  printf(" %s;", strerror(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)));
  printf(" %s\n", strerror(pthread_setschedprio(pthread_self(), 1)));
  return unused;
}
static void* show_name(void* unused) {
  char name[16];
  must(pthread_setname_np(pthread_self(), "fifteen letters"), "setname");
  const int long_one = pthread_setname_np(pthread_self(), "sixteen letters.");
  sched_yield();
  must(pthread_getname_np(pthread_self(), name, sizeof name), "getname");
  printf("name %s, %s, %s\n", name, strerror(long_one), strerror(pthread_getname_np(pthread_self(), name, 15)));
  cpu_set_t processors;
  must(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors), "getaffinity");
  printf("processors %d\n", CPU_COUNT(&processors) > 0);
  return unused;
}
static void* set_types(void* unused) {
  int before = -1;
  must(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before), "setcanceltype");
  printf("cancel type %d", before == PTHREAD_CANCEL_DEFERRED);
  sched_yield();
  must(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before), "setcanceltype");
  printf(" %d, %s\n", before == PTHREAD_CANCEL_ASYNCHRONOUS, strerror(pthread_setcanceltype(7, &before)));
  return unused;
}

static void show_attributes(void) {
  pthread_attr_t attr;
  struct sched_param parameters = {10};
  int value = 0;
  pthread_attr_init(&attr);
  printf("attr %s", strerror(pthread_attr_setschedparam(&attr, &parameters)));
  must(pthread_attr_setschedpolicy(&attr, SCHED_RR), "setschedpolicy");
  must(pthread_attr_setschedparam(&attr, &parameters), "setschedparam");
  must(pthread_attr_getschedpolicy(&attr, &value), "getschedpolicy");
  parameters.sched_priority = 0;
  must(pthread_attr_getschedparam(&attr, &parameters), "getschedparam");
  printf(", %d %d, %s", value == SCHED_RR, parameters.sched_priority, strerror(pthread_attr_setschedpolicy(&attr, 77)));
  /* Inherited, so the policy of the attribute does not count. */
  pthread_t thread;
  pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED);
  must(pthread_create(&thread, &attr, show_schedule, NULL), "create");
  must(pthread_join(thread, NULL), "join");
  static char stack[1 << 17] __attribute__((aligned(4096)));
  void* begin = NULL;
  size_t bytes = 0;
  must(pthread_attr_setstack(&attr, stack, sizeof stack), "setstack");
  must(pthread_attr_getstack(&attr, &begin, &bytes), "getstack");
  printf("stack %d %zu, %s; ", begin == stack, bytes, strerror(pthread_attr_setstack(&attr, stack, 5)));
  sigset_t blocked;
  printf("mask %d", pthread_attr_getsigmask_np(&attr, &blocked));
  sigfillset(&blocked);
  must(pthread_attr_setsigmask_np(&attr, &blocked), "setsigmask");
  printf(" %d %d\n", pthread_attr_getsigmask_np(&attr, &blocked), sigismember(&blocked, SIGUSR1));
  pthread_attr_destroy(&attr);

  pthread_mutexattr_t of_mutex;
  pthread_mutex_t mutex;
  int ceiling = 0;
  pthread_mutexattr_init(&of_mutex);
  must(pthread_mutexattr_getprioceiling(&of_mutex, &ceiling), "getprioceiling");
  printf("ceiling %d, %s", ceiling, strerror(pthread_mutexattr_setprioceiling(&of_mutex, 1000)));
  must(pthread_mutexattr_setprioceiling(&of_mutex, 7), "setprioceiling");
  must(pthread_mutexattr_settype(&of_mutex, PTHREAD_MUTEX_RECURSIVE), "settype");
  must(pthread_mutexattr_setprotocol(&of_mutex, PTHREAD_PRIO_INHERIT), "setprotocol");
  pthread_mutexattr_getprioceiling(&of_mutex, &ceiling);
  pthread_mutexattr_getprotocol(&of_mutex, &value);
  printf(", %d, protocol %d, %s;", ceiling, value == PTHREAD_PRIO_INHERIT,
         strerror(pthread_mutexattr_setprotocol(&of_mutex, 9)));
  must(pthread_mutex_init(&mutex, &of_mutex), "init");
  must(pthread_mutex_lock(&mutex), "lock");
  must(pthread_mutex_lock(&mutex), "lock again");
  printf(" %s, %s\n", strerror(pthread_mutex_getprioceiling(&mutex, &ceiling)),
         strerror(pthread_mutex_consistent(&mutex)));
}

int main(void) {
  in_thread(fork_with_handlers);
  meet_by_names();
  in_thread(show_schedule);
  in_thread(show_name);
  in_thread(set_types);
  show_attributes();
  clockid_t clock;
  struct timespec used;
  must(pthread_getcpuclockid(pthread_self(), &clock), "getcpuclockid");
  printf("clock of main %d\n", clock_gettime(clock, &used));
  return 0;
}
