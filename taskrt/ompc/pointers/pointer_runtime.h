// A runtime (runtime.h) whose blocks are named by host pointers (pointers.h), and whose tasks are
// functions of pointers: the C interface of ompc.h, in C++.
//
// Threads: any, and tasks.
//
// Source: [WLBS20] section 3.1.
#pragma once

#include <array>
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
#include "taskrt/ompc/pointers/pointer_blocks.h"
#include "taskrt/ompc/pointers/pointer_task.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A resource.
class PointerRuntime {
 public:
  using Code = PointerCode;

  // `body`: of the tasks that bring no call of their own. Errors: Runtime::Create's.
  static absl::StatusOr<std::unique_ptr<PointerRuntime>> Create(RuntimeOptions options,
                                                                TaskBody& body = PlainBody());
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

  // Blocks for order alone, each another task's at a time.
  Handle TakeOrder();
  void GiveOrder(Handle order);
  std::unique_ptr<Graph> MakeGraph() { return std::make_unique<Graph>(*runtime_); }
  // The first error so far, of the runtime's tasks that have ended.
  absl::Status FirstError();
  bool IsInTask() const;
  // Runtime's.
  void WaitBy(const std::function<void()>& wait) { runtime_->WaitBy(wait); }
  int workers() const { return runtime_->pool().workers(); }
  int device_count() const { return static_cast<int>(devices_.size()); }

  RuntimeCounts counts() const { return runtime_->counts(); }
  // For the data environment of OpenMP, which changes the blocks' reference counts.
  Runtime& runtime() { return *runtime_; }
  PointerBlocks& blocks() { return blocks_; }

 private:
  PointerRuntime(std::unique_ptr<Runtime> runtime, std::vector<Device*> devices, TaskBody& body)
      : body_(body),
        blocks_(*runtime),
        devices_(std::move(devices)),
        runtime_(std::move(runtime)) {}
  static std::unique_ptr<PointerRuntime> Allocate(std::unique_ptr<Runtime> runtime,
                                                  std::vector<Device*> devices, TaskBody& body);

  static absl::Status RunCall(std::span<const Tile> tiles, std::span<const std::byte> scalars);
  absl::Status Submit(const Code& code, const PointerTask& task, Awaited* awaited);
  absl::Status Create(const Code& code, const PointerTask& task, Awaited* awaited);

  TaskBody& body_;
  PointerBlocks blocks_;
  // Of all of the following, but the devices and the runtime. Taken after the lock of the blocks.
  mutable lwt::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Code>, std::less<>> targets_;
  std::vector<std::unique_ptr<Code>> without_text_;  // of loops
  std::map<PointerFunction, std::unique_ptr<Code>> functions_;
  std::map<std::tuple<const Code*, int, std::array<std::size_t, 3>>, std::unique_ptr<Code>> with_;
  std::vector<std::unique_ptr<PointerCall>> calls_;
  std::vector<std::unique_ptr<std::byte>> order_memory_;
  std::vector<Handle> orders_;  // that nobody uses
  absl::Status refused_;        // the first task that was not created

  const std::vector<Device*> devices_;
  const std::unique_ptr<Runtime> runtime_;  // Gone first: tasks use the rest.
};

}  // namespace taskrt
