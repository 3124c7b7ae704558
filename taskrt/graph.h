// Tasks that are run again and again: the order between them is found once.
//
//   taskrt::Graph step(*runtime);
//   step.Submit(sweep, {{a, taskrt::Mode::kIn}, {b, taskrt::Mode::kInOut}});
//   step.Submit(sweep, {{b, taskrt::Mode::kIn}, {a, taskrt::Mode::kInOut}});
//   for (int i = 0; i < 1000; ++i) status.Update(step.Run());
//
// To other tasks, a run of a graph is one task that accesses all of the graph's blocks. Blocks stay
// on devices between runs, until a wait needs them on the host.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A resource. The runtime, the kernels and the blocks outlive it; of a runtime that computes.
class Graph {
 public:
  explicit Graph(Runtime& runtime);
  // Waits for the run that goes on, if there is one. A broken contract: it comes after the calling
  // task.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // As Runtime::Submit, but for later.
  void Submit(const Kernel& kernel, std::span<const Access> accesses,
              std::span<const std::byte> scalars = {}, const TaskOptions& options = kNoTaskOptions);
  void Submit(const Kernel& kernel, std::initializer_list<Access> accesses,
              std::span<const std::byte> scalars = {},
              const TaskOptions& options = kNoTaskOptions) {
    Submit(kernel, std::span(accesses.begin(), accesses.size()), scalars, options);
  }
  // A temporary kernel would be gone before the graph runs.
  void Submit(const Kernel&& kernel, std::span<const Access> accesses,
              std::span<const std::byte> scalars = {},
              const TaskOptions& options = kNoTaskOptions) = delete;
  void Submit(const Kernel&& kernel, std::initializer_list<Access> accesses,
              std::span<const std::byte> scalars = {},
              const TaskOptions& options = kNoTaskOptions) = delete;

  // Runs all tasks, and returns when they have ended. Errors: the first so far, which Runtime::Wait
  // returns again. FailedPrecondition: a task calls it for which it would have to wait.
  absl::Status Run();

  // As Run, but returns at once. The tasks that have not begun are left out where the run is
  // cancelled. FailedPrecondition: a run of this graph has not ended.
  absl::StatusOr<Completion> RunAsync();

  // `object`, of which tasks that were submitted use a part, ends with the graph.
  void Keep(std::shared_ptr<const void> object) {
    if (kept_.empty() || kept_.back() != object) kept_.push_back(std::move(object));
  }

  // How many tasks were submitted.
  std::size_t size() const;

 private:
  Runtime& runtime_;
  const std::unique_ptr<GraphTasks> tasks_;
  std::vector<std::shared_ptr<const void>> kept_;
  const Kernel whole_;  // what a run is as one task: it runs all others
  Completion run_;      // the newest of RunAsync
};

}  // namespace taskrt
