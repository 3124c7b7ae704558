/* A pthread program that knows nothing of lwt: its threads have the stacks that they are told to have.
 * pthread_stack_test runs it with the system's threads and with lightweight ones; with an argument only with the latter.
 *
 * pthread_stack                  what threads have that ask for nothing, and one that asks
 * pthread_stack overflow BYTES   overflows the stack of a thread that asks for so much; 0: for nothing */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_FOR_FUNCTIONS (64 << 10)

static void must(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(result));
  exit(1);
}

static __attribute__((noinline)) size_t use(size_t bytes) {
  volatile char* const array = __builtin_alloca(bytes);
  size_t sum = 0;
  for (size_t i = 0; i < bytes; i += 4096) array[i] = 1;
  for (size_t i = 0; i < bytes; i += 4096) sum += array[i];
  return sum;
}
static void* use_nearly_all(void* bytes) {
  const size_t used = *(size_t*)bytes - LEFT_FOR_FUNCTIONS;
  return (void*)(long)(use(used) == (used + 4095) / 4096);
}
static int is_used(const pthread_attr_t* attr, size_t bytes) {
  pthread_t thread;
  void* result;
  must(pthread_create(&thread, attr, use_nearly_all, &bytes), "create");
  must(pthread_join(thread, &result), "join");
  return result != NULL;
}

static size_t stack_bytes(const pthread_attr_t* attr) {
  size_t bytes = 0;
  must(pthread_attr_getstacksize(attr, &bytes), "getstacksize");
  return bytes;
}
/* A thread has at least as much as it asked for, and the address of a local variable lies in it. */
static void* have(void* asked) {
  pthread_attr_t attr;
  void* begin;
  size_t bytes;
  char here;
  must(pthread_getattr_np(pthread_self(), &attr), "getattr");
  must(pthread_attr_getstack(&attr, &begin, &bytes), "getstack");
  pthread_attr_destroy(&attr);
  const int lies_there = &here >= (char*)begin && &here < (char*)begin + bytes;
  return (void*)(long)(lies_there && bytes >= *(size_t*)asked);
}

static __attribute__((noinline)) int overflow(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[depth % 4096];
}
static void* overflow_here(void* unused) {
  printf("%d\n", overflow(1));
  return unused;
}

int main(int argc, char** argv) {
  pthread_attr_t attr;
  pthread_t thread;
  void* result;
  pthread_attr_init(&attr);
  if (argc > 2) {
    const size_t asked = (size_t)atol(argv[2]);
    if (asked > 0) must(pthread_attr_setstacksize(&attr, asked), "setstacksize");
    printf("%zu\n", stack_bytes(&attr));
    fflush(stdout);
    must(pthread_create(&thread, &attr, overflow_here, NULL), "create");
    pthread_join(thread, NULL);
    return 0;
  }
  size_t of_default = 0, of_attr = stack_bytes(&attr);
  pthread_attr_t default_attr;
  must(pthread_getattr_default_np(&default_attr), "getattr_default");
  of_default = stack_bytes(&default_attr);
  printf("default %zu, %zu\n", of_attr, of_default);
  printf("used %d %d\n", is_used(NULL, of_attr), is_used(&attr, of_attr));
  printf("default with threads %zu\n", stack_bytes(&attr));
  must(pthread_create(&thread, NULL, have, &of_attr), "create");
  must(pthread_join(thread, &result), "join");
  printf("has it %d\n", result != NULL);
  const size_t more = 2 * of_attr;
  must(pthread_attr_setstacksize(&attr, more), "setstacksize");
  printf("more %d %d\n", stack_bytes(&attr) == more, is_used(&attr, more));
  return 0;
}
