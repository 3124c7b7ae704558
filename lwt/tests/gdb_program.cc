// Threads that wait, for gdb_test; then the program ends as by a fault.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include "lwt/lwt.h"

namespace {

std::atomic<int> waiting{0};

[[gnu::noinline]] int WaitForTheGate(lwt::Event& gate) {
  ++waiting;
  gate.Wait();
  return waiting;
}

[[gnu::noinline]] int WaitForTheMutex(lwt::Mutex& mutex) {
  ++waiting;
  mutex.Lock();
  const int result = waiting;
  mutex.Unlock();
  return result;
}

// Frames below the waiting function's. The atomic read behind each call keeps an optimizer from
// making the recursion a loop.
[[gnu::noinline]] int Descend(int depth, lwt::Event& gate) {
  const int below = depth == 0 ? WaitForTheGate(gate) : Descend(depth - 1, gate);
  return below + waiting;
}

}  // namespace

int main() {
  const auto pool = *lwt::Pool::Create({.workers = 2});
  std::thread killer([&pool] {
    // A line for each, the first of Run among them.
    std::ptrdiff_t lines = 0;
    while (waiting < 3 || lines < 4) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      lines = std::ranges::count(pool->BlockedThreads(), '\n');
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::abort();
  });
  pool->Run([] {
    lwt::Event gate;
    lwt::Mutex mutex;
    lwt::Thread first = lwt::Spawn([&] { Descend(3, gate); }, {.name = "at the gate"});
    lwt::Created created = lwt::Create([&] { WaitForTheGate(gate); }, {.name = "created"});
    lwt::Worker::Current()->Push(std::move(created.ready));
    mutex.Lock();
    lwt::Thread second = lwt::Spawn([&] { WaitForTheMutex(mutex); }, {.name = "at the mutex"});
    gate.Wait();
    mutex.Unlock();
    first.Join();
    second.Join();
    created.thread.Join();
  });
  killer.join();
}
