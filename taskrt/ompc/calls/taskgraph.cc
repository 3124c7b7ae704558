#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/omp_graph.h"
#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/taskgraph/record.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

// A value: what begin returns.
enum Ran { kReplayed = 0, kPlain = 1, kRecorded = 2 };

// A value: of a construct with a graph_id. Its address is a dependency of deferred replays, which
// orders them.
struct Slot {
  std::shared_ptr<GraphRecord> record;
  bool is_refused = false;        // the block cannot be recorded
  const OmpTask* user = nullptr;  // that has created the replays that have not ended
  int replays = 0;
};

// The program's records, until ompc_finish.
//
// A resource. Threads: any.
class Records {
 public:
  // A record that fits, for one replay of the task. Null, and `may_record`: whether the block may
  // be recorded.
  std::shared_ptr<GraphRecord> Use(const ompc_graph& graph, const OmpTask& task, Slot*& slot,
                                   bool& may_record) {
    const topo::Lock lock(mutex_);
    slot = &slots_[{graph.construct, graph.id}];
    may_record = !slot->is_refused || graph.is_reset != 0;
    if (graph.is_reset != 0 || slot->record == nullptr) return nullptr;
    if (!slot->record->Fits(graph)) return nullptr;
    // A graph has one run at a time; of one task's, each comes after the one before.
    if (slot->replays > 0 && (slot->user != &task || graph.nogroup == 0)) {
      may_record = false;
      return nullptr;
    }
    slot->user = &task;
    ++slot->replays;
    return slot->record;
  }
  void EndReplay(Slot& slot) {
    const topo::Lock lock(mutex_);
    --slot.replays;
  }
  void Put(const ompc_graph& graph, std::shared_ptr<GraphRecord> record) {
    const topo::Lock lock(mutex_);
    Slot& slot = slots_[{graph.construct, graph.id}];
    slot.is_refused = record == nullptr;
    slot.record.swap(record);
  }
  void Forget() {
    std::map<std::pair<const void*, long>, Slot> slots;
    const topo::Lock lock(mutex_);
    slots.swap(slots_);
  }

 private:
  topo::Mutex mutex_;
  std::map<std::pair<const void*, long>, Slot> slots_ ABSL_GUARDED_BY(mutex_);
};

Records& TheRecords() {
  static auto& records = *new Records;
  return records;
}

void RunReplay(void** args) {
  const std::unique_ptr<GraphReplay> replay(static_cast<GraphReplay*>(args[0]));
  replay->record->Run(*replay);
  TheRecords().EndReplay(*static_cast<Slot*>(args[1]));
}

// With a group the construct waits: first for the tasks outside that come before the graph's, then
// for these. Without one the replay is a task with their dependencies.
void StartReplay(const ompc_graph& graph, std::shared_ptr<GraphRecord> record, Slot& slot) {
  std::vector<void*> in, out;
  record->AddDependencies(graph, in, out);
  const auto count = [](const std::vector<void*>& list) { return static_cast<int>(list.size()); };
  std::unique_ptr<GraphReplay> replay = GraphRecord::Begin(std::move(record), graph);
  ompc_task what = {};
  what.name = "taskgraph";
  what.function = RunReplay;
  void* const args[] = {replay.release(), &slot};
  what.args_count = 2;
  what.args = args;
  if (graph.nogroup == 0) {
    if (!in.empty() || !out.empty()) {
      ompc_require(ompc_task_wait_for(count(in), in.data(), count(out), out.data()));
    }
    what.is_undeferred = 1;
  } else {
    out.push_back(&slot);
    what.in_count = count(in);
    what.in_data = in.data();
    what.out_count = count(out);
    what.out_data = out.data();
  }
  ompc_require(ompc_task_create(&what));
}

}  // namespace

void ForgetGraphs() { TheRecords().Forget(); }

}  // namespace taskrt

int ompc_graph_begin(const ompc_graph* graph) {
  const taskrt::KeepsTask keeps;
  taskrt::OmpTask& task = taskrt::KeptTask();
  const bool is_inside = task.extras != nullptr && task.extras->recorder != nullptr;
  taskrt::RefuseRecording(task);
  if (graph->nogroup == 0) ompc_require(ompc_group_begin());
  if (graph->is_plain != 0 || is_inside || task.is_final) return taskrt::kPlain;
  ompc_begin();
  taskrt::Slot* slot = nullptr;
  bool may_record = false;
  auto record = taskrt::TheRecords().Use(*graph, task, slot, may_record);
  if (record != nullptr) {
    StartReplay(*graph, std::move(record), *slot);
    return taskrt::kReplayed;
  }
  if (!may_record) return taskrt::kPlain;
  task.its().recorder = std::make_shared<taskrt::GraphRecording>(*graph);
  return taskrt::kRecorded;
}

void ompc_graph_end(const ompc_graph* graph, int ran) {
  if (ran == taskrt::kRecorded) {
    const taskrt::KeepsTask keeps;  // The group's end asks for the task.
    const std::shared_ptr<taskrt::TaskRecorder> recorder =
        std::move(taskrt::ThisTask().its().recorder);
    auto& recording = static_cast<taskrt::GraphRecording&>(*recorder);
    taskrt::TheRecords().Put(*graph, recording.Finish(*taskrt::BegunRuntime()));
  }
  if (graph->nogroup == 0) ompc_require(ompc_group_end());
}
