// A small number for each thread, by which it keeps to a lane or a device of its own.
#pragma once

#include <atomic>
#include <cstddef>

namespace llcl {

// From 0 on, in the order of the threads' first calls.
inline std::size_t ThreadNumber() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

}  // namespace llcl
