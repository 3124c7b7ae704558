#include "taskrt/tests/fake_cuda.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

struct CUctx_st {};
struct CUevent_st {
  bool has_time = false;
  long recorded = 0, completed = 0;
  std::int64_t ns = 0;  // when it was completed
};
struct CUstream_st {
  struct Step {
    std::function<bool()> run;  // false: not yet
  };
  std::deque<Step> steps;
};
struct CUmod_st {};
struct CUfunc_st {
  const taskrt::FakeCuda::Body* body = nullptr;
};

namespace taskrt {
namespace {

using namespace cuda;  // NOLINT: the names of a whole driver

FakeCuda* its = nullptr;
std::recursive_mutex mutex;
std::vector<CUstream_st*> streams;
std::vector<CUctx_st> contexts(8);
std::map<std::string, CUfunc_st> functions;
CUmod_st module;
bool is_lost = false;
thread_local Context current = nullptr;
std::size_t used = 0;
std::map<DevicePointer, std::size_t> sizes;
std::map<void*, std::size_t> program_pins;

using Lock = std::lock_guard<std::recursive_mutex>;
constexpr Result kInvalidHandle = 400, kNotFound = 500, kLost = 719;

Result Ask(Stream stream, std::function<void()> step) {
  const Lock lock(mutex);
  stream->steps.push_back({[step = std::move(step)] {
    step();
    return true;
  }});
  return is_lost ? kLost : kSuccess;
}
void Copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void* At(DevicePointer pointer) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer));
}

std::int64_t NowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() + its->ahead_ns;
}

// One step: of the stream that was made last of those that can go on, which are those of kernels.
void GoOn() {
  if (its->begins_after > 0) return;
  for (auto stream = streams.rbegin(); stream != streams.rend(); ++stream) {
    auto& steps = (*stream)->steps;
    if (steps.empty() || !steps.front().run()) continue;
    steps.pop_front();
    return;
  }
}

void CountIfDirect(const void* host, std::size_t bytes) {
  const Lock lock(mutex);
  const auto* const begin = static_cast<const std::byte*>(host);
  for (const auto& [pinned, size] : program_pins) {
    const auto* const first = static_cast<const std::byte*>(pinned);
    if (begin >= first && begin + bytes <= first + size) ++its->direct_copies;
  }
}

}  // namespace

const Driver& FakeDriver(FakeCuda& fake) {
  its = &fake;
  is_lost = false;
  used = 0;
  sizes.clear();
  program_pins.clear();
  static Driver driver;
  driver.DeviceGetCount = [](int* count) {
    *count = its->devices;
    return kSuccess;
  };
  driver.DeviceGet = [](DeviceNumber* device, int ordinal) {
    *device = ordinal;
    return kSuccess;
  };
  driver.DeviceGetName = [](char* name, int length, DeviceNumber) {
    std::strncpy(name, "fake", static_cast<std::size_t>(length));
    return kSuccess;
  };
  driver.DevicePrimaryCtxRetain = [](Context* context, DeviceNumber device) {
    ++its->contexts;
    *context = &contexts[static_cast<std::size_t>(device)];
    return kSuccess;
  };
  driver.DevicePrimaryCtxRelease = [](DeviceNumber) {
    --its->contexts;
    return kSuccess;
  };
  driver.CtxSetCurrent = [](Context context) {
    current = context;
    return kSuccess;
  };
  driver.CtxGetCurrent = [](Context* context) {
    *context = current;
    return kSuccess;
  };
  driver.MemGetInfo = [](std::size_t* free, std::size_t* total) {
    *free = *total = its->memory_bytes;
    return kSuccess;
  };
  driver.MemAlloc = [](DevicePointer* pointer, std::size_t bytes) {
    const Lock lock(mutex);
    if (used + bytes > its->memory_bytes) return kOutOfMemory;
    used += bytes;
    ++its->allocations;
    *pointer = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
    sizes[*pointer] = bytes;
    return kSuccess;
  };
  driver.MemFree = [](DevicePointer pointer) {
    const Lock lock(mutex);
    used -= sizes[pointer];
    --its->allocations;
    std::free(At(pointer));
    return kSuccess;
  };
  driver.MemHostAlloc = [](void** pointer, std::size_t bytes, unsigned) {
    const Lock lock(mutex);
    ++its->pinned;
    *pointer = std::malloc(bytes);
    return kSuccess;
  };
  driver.MemFreeHost = [](void* pointer) {
    const Lock lock(mutex);
    --its->pinned;
    std::free(pointer);
    return kSuccess;
  };
  driver.MemHostRegister = [](void* pointer, std::size_t bytes, unsigned) {
    const Lock lock(mutex);
    if (its->refuses_pins || !program_pins.emplace(pointer, bytes).second) return kOutOfMemory;
    ++its->program_pins;
    return kSuccess;
  };
  driver.MemHostUnregister = [](void* pointer) {
    const Lock lock(mutex);
    its->program_pins -= static_cast<int>(program_pins.erase(pointer));
    return kSuccess;
  };
  driver.MemcpyHtoDAsync = [](DevicePointer to, const void* from, std::size_t bytes, Stream at) {
    CountIfDirect(from, bytes);
    return Ask(at, [=] { Copy(At(to), from, bytes); });
  };
  driver.MemcpyDtoHAsync = [](void* to, DevicePointer from, std::size_t bytes, Stream at) {
    CountIfDirect(to, bytes);
    return Ask(at, [=] { Copy(to, At(from), bytes); });
  };
  driver.MemcpyPeerAsync = [](DevicePointer to, Context, DevicePointer from, Context,
                              std::size_t bytes, Stream at) {
    return Ask(at, [=] { Copy(At(to), At(from), bytes); });
  };
  driver.StreamCreate = [](Stream* stream, unsigned) {
    const Lock lock(mutex);
    ++its->streams;
    *stream = streams.emplace_back(new CUstream_st);
    return kSuccess;
  };
  driver.StreamDestroy = [](Stream stream) {
    const Lock lock(mutex);
    --its->streams;
    std::erase(streams, stream);
    delete stream;
    return kSuccess;
  };
  driver.StreamWaitEvent = [](Stream stream, Event event, unsigned) {
    const Lock lock(mutex);
    stream->steps.push_back(
        {[event, until = event->recorded] { return event->completed >= until; }});
    return kSuccess;
  };
  driver.EventCreate = [](Event* event, unsigned flags) {
    const Lock lock(mutex);
    ++its->events;
    *event = new CUevent_st;
    (*event)->has_time = flags == kEventDefault;
    its->timing_events += flags == kEventDefault ? 1 : 0;
    return kSuccess;
  };
  driver.EventDestroy = [](Event event) {
    const Lock lock(mutex);
    --its->events;
    delete event;
    return kSuccess;
  };
  driver.EventRecord = [](Event event, Stream stream) {
    const Lock lock(mutex);
    const long number = ++event->recorded;
    return Ask(stream, [=] {
      event->completed = number;
      event->ns = NowNs();
    });
  };
  driver.EventQuery = [](Event event) {
    const Lock lock(mutex);
    if (is_lost) return kLost;
    GoOn();
    return event->completed >= event->recorded ? kSuccess : kNotReady;
  };
  driver.EventElapsedTime = [](float* milliseconds, Event begin, Event end) {
    const Lock lock(mutex);
    for (const Event event : {begin, end}) {
      if (!event->has_time || event->recorded == 0) return kInvalidHandle;
      if (event->completed < event->recorded) return kNotReady;
    }
    *milliseconds = static_cast<float>(static_cast<double>(end->ns - begin->ns) / 1e6);
    return kSuccess;
  };
  driver.ModuleLoadData = [](Module* loaded, const void* image) {
    if (std::strcmp(static_cast<const char*>(image), "fake") != 0) return Result{200};
    const Lock lock(mutex);
    ++its->modules;
    *loaded = &module;
    return kSuccess;
  };
  driver.ModuleUnload = [](Module) {
    const Lock lock(mutex);
    --its->modules;
    return kSuccess;
  };
  driver.ModuleGetFunction = [](Function* function, Module, const char* name) {
    const Lock lock(mutex);
    const auto found = its->functions.find(name);
    if (found == its->functions.end()) return kNotFound;
    functions[name].body = &found->second;
    *function = &functions[name];
    return kSuccess;
  };
  // Arguments are copied when it is asked for, as the driver does.
  driver.LaunchKernel = [](Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned,
                           Stream stream, void** arguments, void**) {
    const Lock lock(mutex);
    if (its->begins_after > 0) --its->begins_after;
    if (its->lost_after >= 0 && its->lost_after-- == 0) is_lost = true;
    std::vector<std::vector<std::byte>> copies;
    for (const std::size_t bytes : function->body->argument_bytes) {
      const auto* const from = static_cast<const std::byte*>(*arguments++);
      copies.emplace_back(from, from + bytes);
    }
    return Ask(stream, [=]() mutable {
      std::vector<void*> places;
      for (std::vector<std::byte>& copy : copies) places.push_back(copy.data());
      function->body->run({places, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}});
    });
  };
  driver.GetErrorString = [](Result error, const char** text) {
    *text = error == kLost       ? "unspecified launch failure"
            : error == kNotFound ? "named symbol not found"
                                 : "an error";
    return kSuccess;
  };
  return driver;
}

void AskFakeStream(Stream stream, std::function<void()> work) { Ask(stream, std::move(work)); }

}  // namespace taskrt
