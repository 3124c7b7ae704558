#include "lwt/machine/process.h"

#include <pthread.h>

#include <atomic>

namespace lwt {
namespace {

std::atomic<int> generation{0};

}  // namespace

int ProcessGeneration() {
  // Where there is no memory for it no child is noticed.
  [[maybe_unused]] static const int counts =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  return generation.load(std::memory_order_relaxed);
}

}  // namespace lwt
