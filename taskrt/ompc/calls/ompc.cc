#include "taskrt/ompc.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/devices.h"
#include "taskrt/ompc/calls/on_begun.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/pointers/ompc_kernel.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/taskgraph/record.h"
#include "taskrt/ompc/tasks/icvs.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "topo/mutex.h"

namespace {

using taskrt::Answer;
using taskrt::NotBegun;
using taskrt::PointerMap;
using taskrt::PointerRuntime;

std::unique_ptr<PointerRuntime> runtime;
std::atomic<int> queues{1};

topo::Mutex maps_mutex;
// Each once, so that they need not be freed; nor is the set, which tasks use while the process
// exits.
std::set<PointerMap>& maps ABSL_GUARDED_BY(maps_mutex) = *new std::set<PointerMap>;

absl::Status Init(const ompc_options& options) {
  if (runtime != nullptr) return absl::FailedPreconditionError("it was called before");
  const char* list = options.devices;
  if (list == nullptr) list = std::getenv("OMPC_DEVICES");
  const auto counts = taskrt::ParseDevices(list == nullptr ? "" : list);
  if (!counts.ok()) return counts.status();
  taskrt::Devices devices = taskrt::MakeDevices(*counts, {});
  const char* const variable = std::getenv("OMPC_ALLOW_MISSING_DEVICES");
  const bool may_be_missing = variable != nullptr && std::string_view(variable) == "1";
  const absl::Status all_there = devices.AreAllThere();
  if (!all_there.ok() && !may_be_missing && options.allow_missing_devices == 0) return all_there;
  for (const std::string& missing : devices.missing) {
    std::fprintf(stderr, "ompc: %s; going on without\n", missing.c_str());
  }
  taskrt::RuntimeOptions its;
  its.devices = std::move(devices.devices);
  const taskrt::Icvs& icvs = taskrt::ProgramTask().icvs;
  // More threads than processors are of use to a team, whose members wait, and not to tasks.
  constexpr int kPerProcessor = 4;
  const int most = kPerProcessor * taskrt::TheEnvironment().processors;
  its.pool.workers = options.workers > 0 ? options.workers : std::min(icvs.threads, most);
  its.pool.stack_bytes = taskrt::TaskStackBytes(taskrt::TheEnvironment());
  its.mover.device_bytes = options.device_bytes;
  auto made = PointerRuntime::Create(std::move(its), taskrt::BodyOnItsOwn());
  if (!made.ok()) return made.status();
  runtime = *std::move(made);
  taskrt::SetBegunRuntime(runtime.get());
  if (options.workers > 0 && taskrt::TheEnvironment().threads_by_level.empty()) {
    taskrt::ProgramTask().icvs.threads = options.workers;
  }
  return absl::OkStatus();
}

absl::Status Register(const ompc_kernel& kernel) {
  if (runtime == nullptr) return NotBegun();
  absl::StatusOr<taskrt::Kernel> its = taskrt::KernelOf(kernel);
  if (!its.ok()) return its.status();
  return runtime->Register(kernel.function, *std::move(its));
}

template <typename T>
std::span<T const> Span(int count, T const* all) {
  return {all, static_cast<std::size_t>(count < 0 ? 0 : count)};
}

absl::Status CreateOnDevice(void* kernel, int queue_id, const taskrt::PointerTask& task,
                            bool is_async) {
  if (runtime == nullptr) return NotBegun();
  if (kernel == nullptr) return absl::InvalidArgumentError("the kernel is null");
  if (queue_id < 0 || queue_id >= queues.load()) {
    return absl::InvalidArgumentError(
        absl::StrCat("queue ", queue_id, " was not created by ompc_target_create_queue"));
  }
  const auto& code = *static_cast<const PointerRuntime::Code*>(kernel);
  return is_async ? runtime->Submit(code, task) : runtime->SubmitAndWait(code, task);
}

template <typename F>
int Do(const char* call, F f) {
  return taskrt::DoOnBegun(call, f);
}

}  // namespace

void ompc_report(int is_fatal, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, message == nullptr ? "error" : message);
  if (is_fatal == 0) return;
  std::fflush(nullptr);
  std::_Exit(1);  // As ompc_require.
}

int ompc_has_begun(void) { return taskrt::BegunRuntime() != nullptr ? 1 : 0; }
const char* ompc_error(void) { return taskrt::LastError(); }

int ompc_init(const ompc_options* options) {
  return Answer("ompc_init", Init(options == nullptr ? ompc_options{} : *options));
}

int ompc_finish(void) {
  const int answer = Do("ompc_finish", [](PointerRuntime& its) { return its.WaitAll(); });
  taskrt::ForgetGraphs();
  taskrt::SetBegunRuntime(nullptr);
  runtime.reset();
  taskrt::ForgetTasks();
  queues.store(1);
  const topo::Lock lock(maps_mutex);
  maps.clear();
  return answer;
}

int ompc_target_register(const ompc_kernel* kernel) {
  const taskrt::KeepsTask keeps;
  return Answer("ompc_target_register", Register(*kernel));
}

void* ompc_target_get_kernel(const char* name) {
  const PointerRuntime::Code* code = nullptr;
  (void)Do("ompc_target_get_kernel", [&](PointerRuntime& its) {
    code = its.Find(name);
    return code != nullptr ? absl::OkStatus()
                           : absl::NotFoundError(absl::StrCat("there is no kernel ", name));
  });
  return const_cast<PointerRuntime::Code*>(code);
}

int ompc_target_create_queue(void) {
  if (Do("ompc_target_create_queue", [](PointerRuntime&) { return absl::OkStatus(); }) != 0) {
    return -1;
  }
  return queues.fetch_add(1);
}

void* make_map_desc(const void* host, size_t offset, size_t size, int copy_type) {
  const char* const call = "make_map_desc";
  const PointerMap map = {
      .host = reinterpret_cast<std::uintptr_t>(host),
      .offset = offset,
      .bytes = size,
      .to_device =
          copy_type == OMPC_TO_DEVICE || copy_type == OMPC_BOTH || copy_type == OMPC_TO_LOSE,
      .to_host = copy_type == OMPC_TO_HOST || copy_type == OMPC_BOTH,
      .if_present = copy_type == OMPC_WHERE_PRESENT,
      .is_released = copy_type == OMPC_TO_LOSE || copy_type == OMPC_SCRATCH,
  };
  absl::Status status;
  if (host == nullptr) status = absl::InvalidArgumentError("the host pointer is null");
  const bool is_one = map.to_device || map.to_host || map.if_present || map.is_released;
  if (!is_one) {
    status = absl::InvalidArgumentError(absl::StrCat(
        "a copy type is 0 (to the device), 1 (to the host) or 2 (both), not ", copy_type));
  }
  if (Answer(call, status) != 0) return nullptr;
  const topo::Lock lock(maps_mutex);
  return const_cast<PointerMap*>(&*maps.insert(map).first);
}

int tasklet_target_create(void* kernel, int queue_id, int args_count, void* const* args,
                          int in_count, void* const* in_data, int out_count, void* const* out_data,
                          int map_count, void* const* map_descs, int is_async) {
  const taskrt::KeepsTask keeps;
  std::vector<const PointerMap*> its_maps;
  for (void* const map : Span(map_count, map_descs)) {
    its_maps.push_back(static_cast<const PointerMap*>(map));
  }
  const taskrt::PointerTask task = {Span(args_count, args), Span(in_count, in_data),
                                    Span(out_count, out_data), its_maps};
  return Answer("tasklet_target_create", CreateOnDevice(kernel, queue_id, task, is_async != 0));
}

int tasklet_create_named(const char* name, ompc_function function, int args_count,
                         void* const* args, int in_count, void* const* in_data, int out_count,
                         void* const* out_data) {
  return Do("tasklet_create", [&](PointerRuntime& its) {
    const taskrt::PointerTask task = {
        Span(args_count, args), Span(in_count, in_data), Span(out_count, out_data), {}};
    return its.Submit(its.OnHost(name, function), task);
  });
}

int tasklet_wait_all(void) {
  return Do("tasklet_wait_all", [](PointerRuntime& its) { return its.WaitAll(); });
}
int tasklet_wait_on(const void* pointer) {
  return Do("tasklet_wait_on", [&](PointerRuntime& its) { return its.WaitOn(pointer); });
}
int ompc_target_map(const void* pointer, size_t size) {
  return Do("ompc_target_map", [&](PointerRuntime& its) { return its.Map(pointer, size); });
}
int ompc_target_unmap(const void* pointer) {
  return Do("ompc_target_unmap", [&](PointerRuntime& its) { return its.Unmap(pointer); });
}
int ompc_target_end_region(void) {
  return Do("ompc_target_end_region", [](PointerRuntime& its) { return its.EndRegion(); });
}

int ompc_get_counts(ompc_counts* counts) {
  return Do("ompc_get_counts", [&](PointerRuntime& its) {
    const taskrt::RuntimeCounts all = its.counts();
    *counts = {all.tasks, all.tasks_on_devices, all.copies.h2d.copies, all.copies.d2h.copies,
               all.copies.d2d.copies};
    return absl::OkStatus();
  });
}
