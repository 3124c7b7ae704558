// A right program for valgrind_test: threads of all kinds, whose stacks are used again by others.
// Prints "right" where its answers are, and "not announced" where lwt was compiled without
// Valgrind's header.
#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/machine/valgrind.h"
#include "lwt/myth.h"

namespace {

long Fib(int n) {
  if (n < 2) return n;
  long left = 0;
  lwt::Thread child = lwt::Spawn([&] { left = Fib(n - 1); });
  const long right = Fib(n - 2);
  child.Join();
  return left + right;
}

// A body of `kBytes`: the next thread on its stack begins elsewhere.
template <std::size_t kBytes>
int OfSize() {
  std::array<char, kBytes> body;
  body.fill(1);
  int sum = 0;
  lwt::Thread thread = lwt::Spawn([body, &sum] {
    lwt::Yield();
    for (const char byte : body) sum += byte;
  });
  thread.Join();
  return sum;
}

// Threads that wait at once, more than are kept with their pages.
int Crowd(int threads) {
  lwt::Event go;
  int ended = 0;
  lwt::Mutex mutex;
  std::vector<lwt::Thread> crowd;
  for (int i = 0; i < threads; ++i) {
    crowd.push_back(lwt::Spawn([&] {
      go.Wait();
      mutex.Lock();
      ++ended;
      mutex.Unlock();
    }));
  }
  go.Set();
  for (lwt::Thread& thread : crowd) thread.Join();
  return ended;
}

int Created() {
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
    lwt::Created created = lwt::Create([&sum] { ++sum; });
    lwt::Worker::Current()->Push(std::move(created.ready));
    created.thread.Join();
  }
  return sum;
}

int Thrown() {
  int caught = 0;
  for (int i = 0; i < 10; ++i) {
    try {
      lwt::Spawn([] {
        lwt::Yield();
        throw std::runtime_error("what the joiner catches");
      }).Join();
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  return caught;
}

bool IsRight() {
  bool right = Fib(12) == 144;
  for (int i = 0; i < 5; ++i) {
    right &= OfSize<1>() == 1 && OfSize<1000>() == 1000 && OfSize<100>() == 100;
    int forked = 0;
    lwt::ForkJoin([&] { ++forked; }, [] {});
    right &= forked == 1;
  }
  right &= Crowd(1'500) == 1'500 && Crowd(1'500) == 1'500;
  return right && Created() == 100 && Thrown() == 10;
}

void* AddOne(void* sum) {
  ++*static_cast<int*>(sum);
  return sum;
}

// Larger stacks than the workers', each used again.
bool IsRightWithLargeStacks() {
  int sum = 0;
  for (int i = 0; i < 5; ++i) {
    myth_thread_attr_t large;
    myth_thread_attr_init(&large);
    myth_thread_attr_setstacksize(&large, 1 << 20);
    myth_thread_t id = {};
    myth_create_ex(&id, &large, AddOne, &sum);
    myth_join(id, nullptr);
  }
  return sum == 5;
}

}  // namespace

int main() {
  if (!lwt::RunsOnMemcheck()) return std::puts("not announced"), 0;
  bool right = true;
  {
    const auto pool = *lwt::Pool::Create({.workers = 2});
    for (int i = 0; i < 3; ++i) right &= pool->Run(IsRight);
  }
  {
    const auto pool = *lwt::Pool::Create({.workers = 4, .simulation = lwt::SimulationOptions()});
    right &= pool->Run([] { return Fib(8); }) == 21;
  }
  right &= IsRightWithLargeStacks();
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
