// The record of a taskgraph: the tasks that its block has created, with their arguments and
// dependencies, as a graph of the runtime (graph.h).
//
// A task's argument is a variable of the block's environment, which is found anew for each replay;
// the copy of another variable's value; or an address. Dependencies and maps are likewise.
//
// Threads: a GraphRecording by the flow that runs the block. A GraphRecord's replays run one at a
// time. Source: OpenMP 6.0, section 14.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/graph.h"
#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/omp_graph.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {

// A value: an address, or so many bytes behind the begin of a variable of the environment.
struct EnvironmentPlace {
  int variable = -1;
  std::uintptr_t at = 0;
  friend auto operator<=>(const EnvironmentPlace&, const EnvironmentPlace&) = default;
};

// A value: a task of a record.
struct RecordedTask {
  struct Argument {
    EnvironmentPlace place;
    std::size_t bytes = 0;  // that are copied
    std::vector<std::byte> saved;
  };
  std::string name;
  ompc_function function = nullptr;
  void* kernel = nullptr;
  bool has_maps = false, is_final = false;
  int priority = 0;
  std::vector<Argument> args;
  std::vector<std::uintptr_t> in, out;
  std::vector<std::pair<PointerMap, EnvironmentPlace>> maps;
};

class GraphRecord;

// A resource: one replay, with its arguments.
struct GraphReplay {
  std::shared_ptr<GraphRecord> record;
  OmpTask* task = nullptr;  // that the record's tasks are children of
  std::vector<void*> environment;
  std::vector<std::vector<void*>> args;              // of each task
  std::vector<std::unique_ptr<std::byte[]>> copies;  // that some of them point to
};

// A resource. Made by GraphRecording; the runtime outlives it.
class GraphRecord {
 public:
  ~GraphRecord();
  GraphRecord(const GraphRecord&) = delete;
  GraphRecord& operator=(const GraphRecord&) = delete;

  // Is the environment that of the record, with the same values where it is watched?
  bool Fits(const ompc_graph& graph) const;
  // The tasks' dependencies, for the tasks outside.
  void AddDependencies(const ompc_graph& graph, std::vector<void*>& in,
                       std::vector<void*>& out) const;
  // The arguments have the values that the environment has now.
  static std::unique_ptr<GraphReplay> Begin(std::shared_ptr<GraphRecord> record,
                                            const ompc_graph& graph);
  // Returns when the tasks have ended; the caller's task is the one above them.
  void Run(GraphReplay& replay);

 private:
  friend class GraphRecording;
  // A task of the record as one of the graph.
  struct Node {
    GraphRecord* record = nullptr;
    std::size_t number = 0;
    Kernel kernel;
  };

  GraphRecord() = default;
  void Build(PointerRuntime& runtime);
  void RunTask(std::size_t number) const;
  void RunTarget(const RecordedTask& task, std::vector<void*>& args) const;

  std::vector<std::size_t> sizes_;               // of the environment's variables
  std::vector<std::vector<std::byte>> watched_;  // their values; empty: not watched
  std::vector<RecordedTask> tasks_;
  std::map<EnvironmentPlace, bool> outside_;  // all dependencies; is it changed?
  std::map<std::uintptr_t, Handle> orders_;   // by the addresses of the recording
  std::deque<Node> nodes_;
  std::unique_ptr<Graph> graph_;
  GraphReplay* running_ = nullptr;
};

// A resource: while the block of a taskgraph is run.
class GraphRecording final : public TaskRecorder {
 public:
  explicit GraphRecording(const ompc_graph& graph);

  void Add(const ompc_task& what) override;
  void Refuse() override { is_possible_ = false; }
  // Null: there can be none.
  std::shared_ptr<GraphRecord> Finish(PointerRuntime& runtime);

 private:
  EnvironmentPlace PlaceOf(std::uintptr_t address) const;

  const ompc_graph graph_;
  bool is_possible_ = true;
  std::shared_ptr<GraphRecord> record_;
};

// Before the runtime's end: all records.
void ForgetGraphs();

}  // namespace taskrt
