#include "taskrt/graph.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/order/graph_tasks.h"
#include "taskrt/task/submission.h"

namespace taskrt {

Graph::Graph(Runtime& runtime)
    : runtime_(runtime),
      tasks_(std::make_unique<GraphTasks>()),
      whole_(Kernel("graph").OnHost([this](auto, auto) {
        runtime_.RunParts(*tasks_);
        return absl::OkStatus();
      })) {
  lwt::CheckContract(!runtime.only_plans_, "a graph's runtime does not only plan");
}

Graph::~Graph() {
  if (runtime_.pool().is_of_parent_process() || runtime_.pool().IsLeftAtExit()) return;
  const absl::Status waited = run_.Wait();
  if (!IsRefusedWait(waited)) return;
  lwt::DieOfBrokenContract(
      absl::StrCat("a graph is ended by no task that comes before its run: ", waited.message()),
      __FILE__, __LINE__);
}

void Graph::Submit(const Kernel& kernel, std::span<const Access> accesses,
                   std::span<const std::byte> scalars, const TaskOptions& options) {
  runtime_.AddTo(*tasks_, {kernel, accesses, scalars, options});
}

absl::Status Graph::Run() { return runtime_.Run(*tasks_, whole_); }

absl::StatusOr<Completion> Graph::RunAsync() {
  absl::StatusOr<Completion> run = runtime_.SubmitRun(*tasks_, whole_, nullptr);
  if (run.ok()) run_ = *run;
  return run;
}

std::size_t Graph::size() const { return tasks_->size(); }

}  // namespace taskrt
