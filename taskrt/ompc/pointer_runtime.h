// A runtime (runtime.h) whose blocks are named by host pointers (pointers.h), and whose tasks are
// functions of pointers: what the C interface says, in C++. See ompc.h for what its words mean.
//
// Threads: any, and tasks.
//
// Source: [WLBS20] section 3.1.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/mutex.h"
#include "taskrt/kernel.h"
#include "taskrt/ompc/pointers.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A value: so many bytes behind `host`; no bytes: all of the block that is there.
struct PointerMap {
  std::uintptr_t host = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool to_device = false, to_host = false;
  friend auto operator<=>(const PointerMap&, const PointerMap&) = default;
};

using PointerFunction = void (*)(void** args);

// A value: what a task is called with, and what it does to which blocks.
struct PointerTask {
  std::span<void* const> args = {};
  std::span<void*const> in = {}, out = {};
  std::span<const PointerMap* const> maps = {};
};

// A resource.
class PointerRuntime {
 public:
  // What a task runs; for devices, or for the host alone.
  struct Code {
    PointerFunction function = nullptr;
    Kernel kernel;
    bool is_target = false;
  };

  // Errors: Runtime::Create's.
  static absl::StatusOr<std::unique_ptr<PointerRuntime>> Create(RuntimeOptions options);
  // Waits for all tasks.
  ~PointerRuntime();

  // A kernel for devices: what it says of them, and `function`, unless that is null, for the host
  // and simulated devices. Errors: AlreadyExists; InvalidArgument: nothing here can run it.
  absl::Status Register(PointerFunction function, Kernel kernel);
  // Null: there is none.
  const Code* Find(std::string_view name) const;
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

  RuntimeCounts counts() const { return runtime_->counts(); }

 private:
  struct Block {
    Handle handle;
    bool is_kept = false;                 // beyond the end of a region
    std::unique_ptr<std::byte> stand_in;  // registered while the block's size is not known
  };
  using Known = Pointers<Block>::Known;
  using Lock = std::unique_lock<lwt::Mutex>;

  // A task's call, from its creation until all are waited for: it may run again elsewhere.
  struct Argument {
    void* value = nullptr;
    int tile = -1;              // of the task's, into which it points
    std::ptrdiff_t offset = 0;  // of its begin
  };
  struct Call {
    PointerFunction function = nullptr;
    std::vector<Argument> arguments;
  };
  struct Use {
    Known* known = nullptr;
    PointerUse of_task;
  };
  // What is known of a task while it is created.
  struct Draft {
    std::vector<Use> uses;
    std::map<std::uintptr_t, Known*> by_host;  // of its maps
    std::vector<std::size_t> tiles;            // of uses, as its accesses will be
    std::unique_ptr<Call> call;
    std::vector<std::byte> scalars;

    PointerUse& UseOf(Known& known);
    std::optional<std::size_t> Find(std::uintptr_t pointer) const;
  };

  PointerRuntime() = default;

  static absl::Status RunCall(std::span<const Tile> tiles, std::span<const std::byte> scalars);
  absl::StatusOr<Known*> KnownAt(std::uintptr_t begin, std::uint64_t bytes, Lock& lock);
  absl::Status AddMaps(const PointerTask& task, Draft& draft, Lock& lock);
  absl::Status AddDependencies(const PointerTask& task, Draft& draft, Lock& lock);
  absl::Status AddArguments(const Code& code, const PointerTask& task, Draft& draft);
  static absl::Status AddScalars(const Code& code, Draft& draft);
  absl::Status Submit(const Code& code, const PointerTask& task, Awaited* awaited);
  absl::Status Create(const Code& code, const PointerTask& task, Awaited* awaited);
  bool IsInTask() const;

  mutable lwt::Mutex mutex_;  // all of the following, but the runtime
  std::map<std::string, std::unique_ptr<Code>, std::less<>> targets_;
  std::map<PointerFunction, std::unique_ptr<Code>> functions_;
  Pointers<Block> pointers_;
  std::vector<std::unique_ptr<Call>> calls_;
  absl::Status refused_;  // the first task that was not created

  std::vector<const Device*> devices_;
  std::unique_ptr<Runtime> runtime_;  // Gone first: tasks use the rest.
};

}  // namespace taskrt
