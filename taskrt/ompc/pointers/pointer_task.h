// The tasks of the paper's interface, as values: functions of pointers, with the words that say
// what they do to the blocks behind host pointers. See ompc.h for what these words mean.
//
// Source: [WLBS20] section 3.1.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lwt/event.h"
#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/tile.h"

namespace taskrt {

// A value: so many bytes behind `host`; no bytes: all of the block that is there.
struct PointerMap {
  std::uintptr_t host = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool to_device = false, to_host = false;
  bool if_present = false;  // all of the block there, both ways; none where there is no block
  // OpenMP's map types alloc and release: at the end nothing is copied to the host, which keeps its
  // own value.
  bool is_released = false;
  friend auto operator<=>(const PointerMap&, const PointerMap&) = default;

  std::uintptr_t begin() const { return host + offset; }
};

using PointerFunction = void (*)(void** args);

// A value: a function of tasks, for devices or for the host alone.
struct PointerCode {
  PointerFunction function = nullptr;
  Kernel kernel;
  bool is_target = false;
  // Of a loop: the code that runs where OpenCL's text is not for the task. Null: of all others.
  const PointerCode* without_text = nullptr;
};

// The body of a task of the runtime: calls the task's function, with all that belongs around it.
// Threads: one of the runtime's, while the task runs.
class TaskBody {
 public:
  virtual void Run(PointerFunction function, void** args) = 0;

 protected:
  ~TaskBody() = default;
};
// Calls the function, and does nothing else.
TaskBody& PlainBody();

struct PointerTask;

// A resource: a task's call. The task may run again elsewhere: so the call lasts until it has
// ended.
struct PointerCall {
  struct Argument {
    void* value = nullptr;
    int tile = -1;              // of the task's, into which it points
    std::ptrdiff_t offset = 0;  // of its begin
  };
  PointerFunction function = nullptr;
  std::vector<Argument> arguments;
  std::unique_ptr<std::byte[]> copies;  // of the bytes to which some arguments point
  TaskBody* body = &PlainBody();
  // The begins of the blocks that the task uses. Not changed once it has started: other threads
  // read it.
  std::vector<std::uintptr_t> uses;

  // The function, and copies of the task's arguments.
  void Fill(PointerFunction its_function, const PointerTask& task);
  void Run(std::span<const Tile> tiles) const;
};

// A value: a task that creates another, or calls the interface; or the program itself.
struct Caller {
  bool is_program = true;
  std::vector<std::uintptr_t> uses;  // the begins of the blocks of it and of the tasks above it

  bool Uses(std::uintptr_t begin) const;
};

// A value: the arguments of a task, and what it does to which blocks.
struct PointerTask {
  std::span<void* const> args = {};
  std::span<void*const> in = {}, out = {};
  std::span<const PointerMap* const> maps = {};
  // For each argument the bytes to copy from where it points; 0: the argument itself is passed.
  // Empty: all arguments are passed as they are.
  std::span<const std::size_t> copied = {};
  std::span<const Handle> order_in = {}, order_out = {};  // blocks that only order tasks
  int priority = 0;
  PointerCall* call = nullptr;  // the caller's, until the task has ended; null: the runtime's
  lwt::Event* ended = nullptr;  // set when it has
  const Caller* created_by = nullptr;  // null: the program itself
};

}  // namespace taskrt
