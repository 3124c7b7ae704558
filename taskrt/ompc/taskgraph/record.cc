#include "taskrt/ompc/taskgraph/record.h"

#include <cstring>

#include "absl/status/status.h"
#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/tasks/omp_create.h"

namespace taskrt {
namespace {

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::vector<std::byte> BytesAt(const void* place, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(place);
  return {begin, begin + bytes};
}

std::uintptr_t AddressOf(const EnvironmentPlace& place, void* const* environment) {
  return place.variable < 0 ? place.at : Address(environment[place.variable]) + place.at;
}
void* PointerTo(const EnvironmentPlace& place, void* const* environment) {
  return reinterpret_cast<void*>(AddressOf(place, environment));
}

}  // namespace

GraphRecording::GraphRecording(const ompc_graph& graph) : graph_(graph), record_(new GraphRecord) {
  for (int i = 0; i < graph.count; ++i) {
    record_->sizes_.push_back(graph.bytes[i]);
    record_->watched_.push_back(graph.watched[i] == 0 ? std::vector<std::byte>()
                                                      : BytesAt(graph.places[i], graph.bytes[i]));
  }
}

EnvironmentPlace GraphRecording::PlaceOf(std::uintptr_t address) const {
  for (int i = 0; i < graph_.count; ++i) {
    const std::uintptr_t begin = Address(graph_.places[i]);
    if (address >= begin && address - begin < graph_.bytes[i]) return {i, address - begin};
  }
  return {-1, address};
}

void GraphRecording::Add(const ompc_task& what) {
  if (what.is_once != 0) return;
  if (what.is_undeferred != 0 || what.event != 0) return Refuse();
  RecordedTask& task = record_->tasks_.emplace_back();
  task.name = what.name;
  task.function = what.function;
  task.kernel = what.kernel;
  task.has_maps = what.kernel != nullptr || what.map_count > 0;
  task.is_final = what.is_final != 0;
  task.priority = what.priority;
  for (int i = 0; i < what.args_count; ++i) {
    RecordedTask::Argument& argument = task.args.emplace_back();
    argument.bytes = what.copied == nullptr ? 0 : what.copied[i];
    argument.place = PlaceOf(Address(what.args[i]));
    const bool is_saved = i < 64 && (what.saved >> i) % 2 == 1;
    if (argument.bytes > 0 && (is_saved || argument.place.variable < 0)) {
      argument.saved = BytesAt(what.args[i], argument.bytes);
    }
  }
  for (void* const in : Span(what.in_count, what.in_data)) {
    task.in.push_back(Address(in));
    record_->outside_.try_emplace(PlaceOf(Address(in)), false);
  }
  for (void* const out : Span(what.out_count, what.out_data)) {
    task.out.push_back(Address(out));
    record_->outside_[PlaceOf(Address(out))] = true;
  }
  for (const PointerMap* const map : MapsOf(what.map_count, what.maps)) {
    task.maps.emplace_back(*map, PlaceOf(map->host));
  }
}

std::shared_ptr<GraphRecord> GraphRecording::Finish(PointerRuntime& runtime) {
  if (!is_possible_) return nullptr;
  record_->Build(runtime);
  return std::move(record_);
}

// The addresses of the recording order the tasks; blocks that do no more stand for them.
void GraphRecord::Build(PointerRuntime& runtime) {
  graph_ = runtime.MakeGraph();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const RecordedTask& task = tasks_[i];
    Node& node = nodes_.emplace_back(Node{this, i, Kernel(task.name)});
    node.kernel.OnHost([](auto, std::span<const std::byte> scalars) {
      const Node* its = nullptr;
      std::memcpy(&its, scalars.data(), sizeof its);
      its->record->RunTask(its->number);
      return absl::OkStatus();
    });
    std::map<std::uintptr_t, bool> writes;
    for (const std::uintptr_t in : task.in) writes.try_emplace(in, false);
    for (const std::uintptr_t out : task.out) writes[out] = true;
    std::vector<Access> accesses;
    for (const auto& [address, is_written] : writes) {
      auto order = orders_.find(address);
      if (order == orders_.end()) order = orders_.emplace(address, runtime.TakeOrder()).first;
      accesses.push_back({order->second, is_written ? Mode::kInOut : Mode::kIn});
    }
    const Node* const its = &node;
    graph_->Submit(node.kernel, accesses, std::as_bytes(std::span(&its, 1)),
                   {.priority = task.priority});
  }
}

GraphRecord::~GraphRecord() {
  graph_.reset();
  PointerRuntime* const runtime = BegunRuntime();
  if (runtime == nullptr) return;
  for (const auto& [address, order] : orders_) runtime->GiveOrder(order);
}

bool GraphRecord::Fits(const ompc_graph& graph) const {
  if (static_cast<std::size_t>(graph.count) != sizes_.size()) return false;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (graph.bytes[i] != sizes_[i]) return false;
    const std::vector<std::byte>& value = watched_[i];
    if (!value.empty() && std::memcmp(value.data(), graph.places[i], value.size()) != 0) {
      return false;
    }
  }
  return true;
}

void GraphRecord::AddDependencies(const ompc_graph& graph, std::vector<void*>& in,
                                  std::vector<void*>& out) const {
  for (const auto& [place, is_written] : outside_) {
    (is_written ? out : in).push_back(PointerTo(place, graph.places));
  }
}

std::unique_ptr<GraphReplay> GraphRecord::Begin(std::shared_ptr<GraphRecord> record,
                                                const ompc_graph& graph) {
  auto replay = std::make_unique<GraphReplay>();
  replay->environment.assign(graph.places, graph.places + graph.count);
  for (RecordedTask& task : record->tasks_) {
    std::vector<void*>& args = replay->args.emplace_back();
    for (RecordedTask::Argument& argument : task.args) {
      void* value = argument.saved.empty() ? PointerTo(argument.place, graph.places)
                                           : static_cast<void*>(argument.saved.data());
      if (argument.saved.empty() && argument.bytes > 0) {
        replay->copies.push_back(std::make_unique_for_overwrite<std::byte[]>(argument.bytes));
        value = std::memcpy(replay->copies.back().get(), value, argument.bytes);
      }
      args.push_back(value);
    }
  }
  replay->record = std::move(record);
  return replay;
}

void GraphRecord::Run(GraphReplay& replay) {
  const KeepsTask keeps;
  replay.task = &KeptTask();
  running_ = &replay;
  // An error is the runtime's first, which the next wait returns.
  (void)graph_->Run();
  running_ = nullptr;
}

void GraphRecord::RunTask(std::size_t number) const {
  const KeepsTask keeps;
  const RecordedTask& task = tasks_[number];
  std::vector<void*>& args = running_->args[number];
  const std::shared_ptr<OmpChild> child = OmpChild::Make(running_->task);
  child->is_final = child->is_final || task.is_final;
  BeginTask(*child);
  if (task.has_maps) {
    RunTarget(task, args);
  } else {
    task.function(args.data());
  }
  EndTask(*child);
}

// As a target of a task that waits for it.
void GraphRecord::RunTarget(const RecordedTask& task, std::vector<void*>& args) const {
  std::vector<PointerMap> maps;
  for (const auto& [map, place] : task.maps) {
    maps.push_back(map);
    maps.back().host = AddressOf(place, running_->environment.data());
  }
  std::vector<void*> pointers;
  for (PointerMap& map : maps) pointers.push_back(&map);
  std::vector<std::size_t> copied;
  for (const RecordedTask::Argument& argument : task.args) copied.push_back(argument.bytes);
  ompc_task what = {};
  what.name = task.name.c_str();
  what.function = task.function;
  what.kernel = task.kernel;
  what.args_count = static_cast<int>(args.size());
  what.args = args.data();
  what.copied = copied.data();
  what.map_count = static_cast<int>(pointers.size());
  what.maps = pointers.data();
  what.priority = task.priority;
  what.is_undeferred = 1;
  (void)CreateOnDevice(*BegunRuntime(), what, Creator());
}

}  // namespace taskrt
