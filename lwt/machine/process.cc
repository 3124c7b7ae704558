#include "lwt/machine/process.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

namespace lwt {
namespace {

std::atomic<int> generation{0};

// Each call of atexit takes memory until the process ends.
constexpr int kMostWatches = 1024;
std::atomic<int> watches{0};
std::atomic<bool> is_exiting{false};
constinit thread_local bool is_thread_exiting = false;

struct ThreadWatch {
  ~ThreadWatch() { is_thread_exiting = true; }
};

}  // namespace

int ProcessGeneration() {
  // Where there is no memory for it no child is noticed.
  [[maybe_unused]] static const int counts =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  return generation.load(std::memory_order_relaxed);
}

bool IsProcessExiting() { return is_thread_exiting || is_exiting.load(std::memory_order_acquire); }

void WatchThisThreadForExit() { [[maybe_unused]] thread_local const ThreadWatch watch; }

void WatchForExit() {
  if (watches.load(std::memory_order_relaxed) >= kMostWatches) return;
  watches.fetch_add(1, std::memory_order_relaxed);
  // Where there is no memory for it exit is noticed by watched threads only.
  (void)std::atexit([] { is_exiting.store(true, std::memory_order_release); });
}

}  // namespace lwt
