#include "taskrt/graph.h"

#include "lwt/contract.h"
#include "topo/mutex.h"

namespace taskrt {

Graph::Graph(Runtime& runtime)
    : runtime_(runtime), whole_(Kernel("graph").OnHost([this](auto, auto) {
        RunTasks();
        return absl::OkStatus();
      })) {
  lwt::CheckContract(!runtime.only_plans_, "a graph's runtime does not only plan");
}

void Graph::Submit(const Kernel& kernel, std::span<const Access> accesses,
                   std::span<const std::byte> scalars, int priority) {
  Runtime::CheckSizes(accesses, scalars);
  const topo::Lock lock(runtime_.order_mutex_);
  Task& task = store_.New();
  task.Begin(kernel, scalars, 0);
  runtime_.AddAccesses(task, accesses);
  task.priority = priority;
  const std::size_t number = nodes_.size();
  Node& node = nodes_.emplace_back();
  node.task = &task;
  for (const Access& access : accesses) {
    OfBlock& of_block = blocks_[&Runtime::BlockOf(access.handle)];
    of_block.handle = access.handle;
    of_block.is_written = of_block.is_written || Writes(access.mode);
    of_block.order.Add(number, access.mode, [&](std::size_t other) {
      std::vector<Task*>& then = nodes_[other].then;
      if (!then.empty() && then.back() == &task) return;
      then.push_back(&task);
      ++node.comes_after;
    });
  }
  prepared_for_ = 0;
}

absl::Status Graph::Run() { return runtime_.RunGraph(*this); }

// All of them are one task that accesses the graph's blocks: this is its body.
void Graph::RunTasks() {
  runtime_.not_run_.fetch_sub(size() - 1, std::memory_order_relaxed);
  if (size() == 0) return;
  lasts_left_.store(lasts_, std::memory_order_relaxed);
  ended_.Reset();
  for (Task* const task : firsts_) runtime_.Start(*task);
  ended_.Wait("the tasks of a graph");
}

absl::Status Runtime::Submit(Graph& graph, Awaited& awaited) {
  bool is_ready = false;
  Task* whole = nullptr;
  TaskList ready;
  {
    const topo::Lock lock(order_mutex_);
    if (graph.run_ != nullptr) {
      return absl::FailedPreconditionError("the graph runs already: its runs follow each other");
    }
    const Task* const waiter = RunningTask();
    if (waiter != nullptr) {
      for (auto& [block, of_block] : graph.blocks_) {
        const Mode mode = of_block.is_written ? Mode::kInOut : Mode::kIn;
        if (absl::Status may = waits_.CheckMayWaitFor(*waiter, *block, mode); !may.ok()) return may;
      }
    }
    for (auto& [block, of_block] : graph.blocks_) Combine(*block, 0, ready);
    whole = &NewTask(TaskKind::kComputes, graph.whole_);
    Await(*whole, waiter, awaited);
    graph.run_ = whole;
    waits_.BeginRun(graph);
    unfinished_.Add();
    const TaskRef ref(*whole);
    for (auto& [block, of_block] : graph.blocks_) {
      BlockOf(of_block.handle)
          .order.Add(
              ref, of_block.is_written ? Mode::kInOut : Mode::kIn,
              [&](const TaskRef& other) { whole->ComeAfter(*other); },
              [](const TaskRef& other) { return other->has_ended(); });
    }
    planned_replicas_.CommitPlacement(*whole, kHost);
    PrepareTasks(graph);
    not_run_.fetch_add(graph.size(), std::memory_order_relaxed);
    is_ready = whole->Submitted();
  }
  ready.ForEach([this](Task& task) { Start(task); });
  if (is_ready) Start(*whole);
  return absl::OkStatus();
}

// On the host alone all is as it was at the run before.
void Runtime::PrepareTasks(Graph& graph) {
  const bool is_fixed = devices_.empty() && recorder_ == nullptr;
  if (is_fixed && graph.prepared_for_ == blocks_.moves()) {
    turns_ += graph.size();
    return;
  }
  graph.firsts_.clear();
  graph.lasts_ = 0;
  bool is_any_late = false;
  for (Graph::Node& node : graph.nodes_) {
    Task& task = *node.task;
    task.turn = ++turns_;
    task.number = ++numbers_;
    task.RunAgain(graph, node.then, node.comes_after);
    for (std::size_t i = 0; i < task.accesses().size(); ++i) {
      task.SetTile(i, task.accesses()[i].block->host);
    }
    if (node.comes_after == 0) graph.firsts_.push_back(&task);
    graph.lasts_ += node.then.empty();
    SetPlace(task, PlaceFor(task));
    is_any_late = is_any_late || task.was_late;
  }
  graph.prepared_for_ = is_any_late ? 0 : blocks_.moves();
}

}  // namespace taskrt
