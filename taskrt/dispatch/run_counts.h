// What became of the tasks of a runtime, for RuntimeCounts.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace taskrt {

// A value. All zero at first.
class RunCounts {
 public:
  // Submission numbers whose tasks compute nothing or were left out.
  void AddNotRun(std::uint64_t tasks) { not_run_.fetch_add(tasks, std::memory_order_relaxed); }
  void RemoveNotRun(std::uint64_t tasks) { not_run_.fetch_sub(tasks, std::memory_order_relaxed); }
  void AddOnDevice() { on_devices_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t not_run() const { return not_run_.load(); }
  std::uint64_t on_devices() const { return on_devices_.load(); }

 private:
  std::atomic<std::uint64_t> not_run_{0}, on_devices_{0};
};

}  // namespace taskrt
