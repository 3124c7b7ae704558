// A runtime (runtime.h) whose blocks are named by host pointers (pointers.h), and whose tasks are
// functions of pointers: what the C interface says, in C++. See ompc.h for what its words mean.
//
// Threads: any, and tasks.
//
// Source: [WLBS20] section 3.1.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/event.h"
#include "lwt/mutex.h"
#include "taskrt/graph.h"
#include "taskrt/kernel.h"
#include "taskrt/ompc/pointers/pointers.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A value: so many bytes behind `host`; no bytes: all of the block that is there.
struct PointerMap {
  std::uintptr_t host = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool to_device = false, to_host = false;
  bool if_present = false;  // all of the block there, both ways; none where there is no block
  // The device's value is its own at the end, and the host keeps what it has.
  bool loses = false;
  friend auto operator<=>(const PointerMap&, const PointerMap&) = default;
};

using PointerFunction = void (*)(void** args);
struct OmpTask;

// A task's call: it may run again elsewhere, so that it lasts until the task has ended.
struct PointerCall {
  struct Argument {
    void* value = nullptr;
    int tile = -1;              // of the task's, into which it points
    std::ptrdiff_t offset = 0;  // of its begin
  };
  PointerFunction function = nullptr;
  std::vector<Argument> arguments;
  std::unique_ptr<std::byte[]> copies;  // of what some arguments point to
  OmpTask* task = nullptr;              // that the call is the body of (omp_task.h)

  void Run(std::span<const Tile> tiles) const;
};

// A value: what a task is called with, and what it does to which blocks.
struct PointerTask {
  std::span<void* const> args = {};
  std::span<void*const> in = {}, out = {};
  std::span<const PointerMap* const> maps = {};
  // Of each argument: it points to so many bytes, and the task gets a copy of them; 0: it is what
  // it is. Empty: all are.
  std::span<const std::size_t> copied = {};
  std::span<const Handle> order_in = {}, order_out = {};  // blocks that only order tasks
  int priority = 0;
  PointerCall* call = nullptr;    // the caller's, until the task has ended; null: the runtime's
  lwt::Event* ended = nullptr;    // set when it has
  OmpTask* created_by = nullptr;  // null: the program itself
};

// A resource.
class PointerRuntime {
 public:
  // What a task runs; for devices, or for the host alone.
  struct Code {
    PointerFunction function = nullptr;
    Kernel kernel;
    bool is_target = false;
    // Of a loop: what runs where OpenCL's text is not for the task. Null: of all others.
    const Code* without_text = nullptr;
  };

  // Errors: Runtime::Create's.
  static absl::StatusOr<std::unique_ptr<PointerRuntime>> Create(RuntimeOptions options);
  // Waits for all tasks.
  ~PointerRuntime();
  // std::unique_ptr calls it: it runs the destructor, or nothing where IsLeftAtExit.
  void operator delete(PointerRuntime* runtime, std::destroying_delete_t);
  // lwt::Pool's.
  bool IsLeftAtExit() const { return runtime_ != nullptr && runtime_->pool().IsLeftAtExit(); }

  // A kernel for devices: what it says of them, and `function`, unless that is null, for the host
  // and simulated devices. Errors: AlreadyExists; InvalidArgument: nothing here can run it.
  absl::Status Register(PointerFunction function, Kernel kernel);
  // The same of a loop, whose OpenCL text is left out where a device does not build it, and for
  // tasks that have no arguments for it (AddLoopScalars).
  absl::Status RegisterLoop(PointerFunction function, Kernel kernel);
  // Null: there is none.
  const Code* Find(std::string_view name) const;
  // The kernel on so many units (0: as it was registered), with so many work items in each
  // dimension (zeros: as registered). Its pointer is valid as long as the kernel's.
  absl::StatusOr<const Code*> With(const Code& code, int units, std::array<std::size_t, 3> items);
  // A function of the host; the name is the first that it is called by.
  const Code& OnHost(std::string_view name, PointerFunction function);

  // Errors: InvalidArgument, a sentence; then there is no task, and WaitAll tells it, too.
  absl::Status Submit(const Code& code, const PointerTask& task) {
    return Submit(code, task, nullptr);
  }
  // The same, and returns when the task has ended. FailedPrecondition, too: a task calls it that
  // cannot wait for that (Runtime::SubmitAwaited).
  absl::Status SubmitAndWait(const Code& code, const PointerTask& task);

  // All as the functions of ompc.h.
  absl::Status WaitAll();
  absl::Status WaitOn(const void* pointer);
  absl::Status Map(const void* pointer, std::uint64_t bytes);
  absl::Status Unmap(const void* pointer);
  absl::Status EndRegion();

  // The copies of a task's arguments, and the call.
  static void FillCall(PointerFunction function, const PointerTask& task, PointerCall& call);
  // What the data regions of OpenMP are for a map's block: the first Enter makes it one, and after
  // the last Leave it is none. A task's Enter makes none: others may come to use the same memory,
  // and wait for that task. Then the device's value comes to the host if the map says so, and
  // is lost otherwise. `all`: this is the last (map's delete).
  absl::Status Enter(const PointerMap& map);
  absl::Status Leave(const PointerMap& map, bool all);
  // The host has the newest value of the map's part of a block; and: it gets it.
  absl::Status UpdateDevice(const PointerMap& map);
  absl::Status UpdateHost(const PointerMap& map);
  // Of those whose size came from a task's map alone: the values are home, and, unless other tasks
  // use them, they are blocks no more.
  absl::Status Release(std::span<const PointerMap* const> maps);
  bool HasRegions() const;
  // The blocks whose device's value is its own end.
  absl::Status ReleaseScratch();
  // Blocks for order alone, each another task's at a time.
  Handle TakeOrder();
  void GiveOrder(Handle order);
  std::unique_ptr<Graph> MakeGraph() { return std::make_unique<Graph>(*runtime_); }
  // Is the map of a block in a data region, or of ompc_target_map's?
  bool IsKept(const PointerMap& map) const;
  // Is the map of a block that the task, or one above it, uses?
  bool IsHeld(const PointerMap& map, const OmpTask* task) const;
  absl::Status FirstError();
  bool IsInTask() const;
  // Runtime's.
  void WaitBy(const std::function<void()>& wait) { runtime_->WaitBy(wait); }
  int workers() const { return runtime_->pool().workers(); }
  int device_count() const { return static_cast<int>(devices_.size()); }

  RuntimeCounts counts() const { return runtime_->counts(); }

 private:
  struct Block {
    Handle handle;
    bool is_programs = false;             // a task that no task has created uses it
    bool is_kept = false;                 // beyond the end of a region
    int regions = 0;                      // of data, in which it is
    bool is_scratch = false;              // only: the host keeps its own value at the end
    std::uint64_t last_use = 0;           // by a task, of the runtime's uses_
    int waiters = 0;                      // that still need the handle
    std::unique_ptr<std::byte> stand_in;  // registered while the block's size is not known
  };
  using Known = Pointers<Block>::Known;
  using Lock = std::unique_lock<lwt::Mutex>;

  struct Use {
    Known* known = nullptr;
    PointerUse of_task;
  };
  // What is known of a task while it is created.
  struct Draft {
    std::vector<Use> uses;
    std::map<std::uintptr_t, Known*> by_host;  // of its maps
    std::vector<std::size_t> tiles;            // of uses, as its accesses will be
    PointerCall* call = nullptr;
    std::unique_ptr<PointerCall> own_call;
    std::vector<std::byte> scalars;

    PointerUse& UseOf(Known& known);
    std::optional<std::size_t> Find(std::uintptr_t pointer) const;
  };

  PointerRuntime() = default;
  static std::unique_ptr<PointerRuntime> Allocate();

  static absl::Status RunCall(std::span<const Tile> tiles, std::span<const std::byte> scalars);
  absl::StatusOr<Known*> KnownAt(std::uintptr_t begin, std::uint64_t bytes, Lock& lock);
  bool IsKeptAt(std::uintptr_t pointer) const;
  bool IsFree(const Known& known, const OmpTask* task) const;
  Known& AddBlock(std::uintptr_t begin, std::uint64_t bytes);
  absl::Status EndBlock(std::uintptr_t begin, bool keeps_host, Lock& lock);
  absl::Status RunOn(Handle handle, Mode mode, const Kernel& kernel,
                     std::span<const std::byte> scalars);
  absl::Status AddMaps(const PointerTask& task, Draft& draft, Lock& lock);
  absl::Status AddDependencies(const PointerTask& task, Draft& draft, Lock& lock);
  void AddPresent(const PointerTask& task, Draft& draft);
  static void AddOrder(const PointerTask& task, std::vector<Access>& accesses);
  absl::Status AddArguments(const Code& code, const PointerTask& task, Draft& draft,
                            const Code*& runs);
  static absl::Status AddScalars(const Code& code, Draft& draft);
  static bool AddLoopScalars(const OpenClKernel& opencl, const PointerTask& task, Draft& draft);
  absl::Status Submit(const Code& code, const PointerTask& task, Awaited* awaited);
  absl::Status Create(const Code& code, const PointerTask& task, Awaited* awaited);
  mutable lwt::Mutex mutex_;  // all of the following, but the runtime
  std::map<std::string, std::unique_ptr<Code>, std::less<>> targets_;
  std::vector<std::unique_ptr<Code>> without_text_;  // of loops
  std::map<PointerFunction, std::unique_ptr<Code>> functions_;
  std::map<std::tuple<const Code*, int, std::array<std::size_t, 3>>, std::unique_ptr<Code>> with_;
  Pointers<Block> pointers_;
  std::vector<std::unique_ptr<PointerCall>> calls_;
  std::vector<std::unique_ptr<std::byte>> order_memory_;
  std::vector<Handle> orders_;  // that nobody uses
  std::uint64_t uses_ = 0;
  absl::Status refused_;  // the first task that was not created

  std::vector<Device*> devices_;
  std::unique_ptr<Runtime> runtime_;  // Gone first: tasks use the rest.
};

}  // namespace taskrt
