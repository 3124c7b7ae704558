// Where a debugger finds the threads of each pool, in a process or in its core file: gdb/lwt.py
// reads the table `lwt_debugger`, by symbol, so that programs without debugging information will
// do.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lwt {

struct Descriptor;

// A resource of a pool. While one lives, debuggers find the pool's threads.
class DebuggerEntry {
 public:
  DebuggerEntry();
  ~DebuggerEntry();
  DebuggerEntry(const DebuggerEntry&) = delete;
  DebuggerEntry& operator=(const DebuggerEntry&) = delete;

  // All threads of the pool, `block_threads` in each block; after each change of the vector.
  void Show(const std::vector<std::unique_ptr<Descriptor[]>>& blocks, std::size_t block_threads);

 private:
  friend struct DebuggerLayout;

  DebuggerEntry* next_ = nullptr;
  const std::unique_ptr<Descriptor[]>* blocks_ = nullptr;  // the addresses of `block_count_` blocks
  std::uint64_t block_count_ = 0;
  std::uint64_t block_threads_ = 0;
};

}  // namespace lwt
