#include "taskrt/graph.h"

#include "lwt/contract.h"
#include "taskrt/order/graph_tasks.h"
#include "taskrt/order/submission.h"

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

Graph::~Graph() = default;

void Graph::Submit(const Kernel& kernel, std::span<const Access> accesses,
                   std::span<const std::byte> scalars, int priority) {
  runtime_.AddTo(*tasks_, {kernel, accesses, scalars, priority});
}

absl::Status Graph::Run() { return runtime_.Run(*tasks_, whole_); }

std::size_t Graph::size() const { return tasks_->size(); }

}  // namespace taskrt
