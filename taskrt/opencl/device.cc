#include "taskrt/opencl/device.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/mutex.h"
#include "taskrt/opencl/library.h"
#include "taskrt/opencl/operations.h"
#include "taskrt/opencl/programs.h"
#include "taskrt/trace/recorder.h"

namespace taskrt {
namespace {

using opencl::ErrorOf;
using opencl::Library;
using opencl::Operation;

// A resource: of a platform, for all of its devices, so that each can copy from the others. A
// buffer is used on one device, but in copies across.
class Context {
 public:
  static absl::StatusOr<std::shared_ptr<const Context>> Create(
      const Library& library, const std::vector<cl_device_id>& devices) {
    cl_int error = CL_SUCCESS;
    const cl_context context = library.CreateContext(nullptr, static_cast<cl_uint>(devices.size()),
                                                     devices.data(), nullptr, nullptr, &error);
    if (error != CL_SUCCESS) return ErrorOf(error, "making an OpenCL context");
    return std::shared_ptr<const Context>(new Context(library, context));
  }
  ~Context() { library.ReleaseContext(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Library& library;
  const cl_context handle;

 private:
  Context(const Library& its_library, cl_context context) : library(its_library), handle(context) {}
};

cl_mem BufferOf(const std::byte* data) {
  return reinterpret_cast<cl_mem>(const_cast<std::byte*>(data));
}

class OpenClDevice final : public Device {
 public:
  static absl::StatusOr<std::unique_ptr<OpenClDevice>> Create(
      std::shared_ptr<const Context> context, cl_device_id device, int number) {
    std::unique_ptr<OpenClDevice> made(new OpenClDevice(std::move(context), device, number));
    for (cl_command_queue* const queue : {&made->in_, &made->out_}) {
      absl::StatusOr<cl_command_queue> one = made->NewQueue(0);
      if (!one.ok()) return one.status();
      *queue = *one;
    }
    return made;
  }
  ~OpenClDevice() override {
    compute_.push_back(in_);
    compute_.push_back(out_);
    for (const cl_command_queue queue : compute_) {
      if (queue != nullptr) library_.ReleaseCommandQueue(queue);
    }
  }

  std::string name() const override { return name_; }
  std::uint64_t memory_bytes() const override { return memory_bytes_; }
  bool CanRun(const Kernel& kernel) const override { return kernel.opencl() != nullptr; }

  absl::StatusOr<DeviceMemory> Allocate(std::uint64_t bytes) override {
    const std::string tried = absl::StrCat("allocating ", bytes, " bytes on ", name_);
    cl_int error = CL_SUCCESS;
    const cl_mem buffer =
        library_.CreateBuffer(context_->handle, CL_MEM_READ_WRITE, bytes, nullptr, &error);
    if (error != CL_SUCCESS) return ErrorOf(error, tried);
    // A driver may allocate late: it is to fail here, not in a copy.
    cl_event event = nullptr;
    error = library_.EnqueueMigrateMemObjects(
        in_, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, &event);
    if (error == CL_SUCCESS) {
      library_.Flush(in_);
      error = std::min(Operation(library_, event).Wait(), CL_SUCCESS);
    }
    if (error != CL_SUCCESS) {
      library_.ReleaseMemObject(buffer);
      return ErrorOf(error, tried);
    }
    return DeviceMemory{reinterpret_cast<std::byte*>(buffer), bytes};
  }
  void Free(DeviceMemory memory) override { library_.ReleaseMemObject(BufferOf(memory.data)); }

  absl::StatusOr<Ticket> CopyIn(const Tile& from, DeviceMemory to, Ticket after) override {
    return Enqueue(in_, {&after, 1}, "copying to", [&](auto count, auto events, cl_event* event) {
      const Rectangle at(from);
      return library_.EnqueueWriteBufferRect(in_, BufferOf(to.data), CL_FALSE, kOrigin, kOrigin,
                                             at.region, from.row_bytes, 0, from.stride, 0,
                                             from.data, count, events, event);
    });
  }
  absl::StatusOr<Ticket> CopyOut(DeviceMemory from, const Tile& to, Ticket after) override {
    return Enqueue(
        out_, {&after, 1}, "copying from", [&](auto count, auto events, cl_event* event) {
          const Rectangle at(to);
          return library_.EnqueueReadBufferRect(out_, BufferOf(from.data), CL_FALSE, kOrigin,
                                                kOrigin, at.region, to.row_bytes, 0, to.stride, 0,
                                                to.data, count, events, event);
        });
  }
  absl::StatusOr<Ticket> CopyAcross(Device& source, DeviceMemory from, DeviceMemory to) override {
    const auto* const other = dynamic_cast<OpenClDevice*>(&source);
    if (other == nullptr || other->context_ != context_) {
      return absl::UnimplementedError("devices of other kinds or platforms");
    }
    return Enqueue(in_, {}, "copying between devices to",
                   [&](auto count, auto events, cl_event* event) {
                     return library_.EnqueueCopyBuffer(in_, BufferOf(from.data), BufferOf(to.data),
                                                       0, 0, from.bytes, count, events, event);
                   });
  }

  absl::Status Build(const Kernel& kernel) override {
    return programs_.Find(kernel.opencl()).status();
  }

  absl::StatusOr<Ticket> Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                std::span<const std::byte> scalars, std::span<const Ticket> after,
                                std::uint64_t) override {
    const OpenClKernel& what = *kernel.opencl();
    if (!what.local.empty() && what.local.size() < what.global.size()) {
      return absl::InvalidArgumentError("groups have as many dimensions as the work items");
    }
    const absl::StatusOr<cl_kernel> function = programs_.Find(kernel.opencl());
    if (!function.ok()) return function.status();
    // A function has its arguments until it is enqueued.
    const std::lock_guard lock(launching_);
    if (absl::Status set = SetArguments(what, *function, tiles, scalars); !set.ok()) return set;
    const absl::StatusOr<cl_command_queue> queue = NextQueue(what.units);
    if (!queue.ok()) return queue.status();
    return Enqueue(*queue, after, "running on", [&](auto count, auto events, cl_event* event) {
      return library_.EnqueueNDRangeKernel(
          *queue, *function, static_cast<cl_uint>(what.global.size()), nullptr, what.global.data(),
          what.local.empty() ? nullptr : what.local.data(), count, events, event);
    });
  }

  absl::Status Wait(Ticket ticket) override {
    const std::shared_ptr<const Operation> operation = operations_.Find(ticket);
    if (operation == nullptr) return absl::OkStatus();
    const cl_int status = operation->Wait();
    return status < 0 ? ErrorOf(status, name_) : absl::OkStatus();
  }

  void RecordTimes() override {
    for (cl_command_queue* const queue : {&in_, &out_}) {
      const absl::StatusOr<cl_command_queue> one = NewQueue(CL_QUEUE_PROFILING_ENABLE);
      if (!one.ok()) return;  // It does not tell.
      library_.ReleaseCommandQueue(std::exchange(*queue, *one));
    }
    operations_.RecordTimes();
    for (int i = 0; i < kCalibrations; ++i) {
      TimeSpan asked = {.begin_ns = Recorder::Now().ns};
      cl_event event = nullptr;
      if (library_.EnqueueMarkerWithWaitList(in_, 0, nullptr, &event) != CL_SUCCESS) return;
      asked.end_ns = Recorder::Now().ns;
      library_.Flush(in_);
      const Operation marker(library_, event, asked);
      if (marker.Wait() == CL_COMPLETE) operations_.Calibrate(marker);
    }
  }
  std::optional<TimeSpan> SpanOf(Ticket ticket) override { return operations_.SpanOf(ticket); }

  absl::StatusOr<std::string> Binary(const OpenClKernel& kernel) {
    return programs_.Binary(kernel);
  }

 private:
  static constexpr int kCalibrations = 4;  // The first calls take longer.
  static constexpr std::size_t kOrigin[3] = {0, 0, 0};
  struct Rectangle {
    explicit Rectangle(const Tile& tile) : region{tile.row_bytes, tile.rows, 1} {}
    std::size_t region[3];
  };

  OpenClDevice(std::shared_ptr<const Context> context, cl_device_id device, int number)
      : library_(context->library),
        context_(std::move(context)),
        device_(device),
        programs_(library_, context_->handle, device) {
    char text[256] = "";
    library_.GetDeviceInfo(device, CL_DEVICE_NAME, sizeof(text) - 1, text, nullptr);
    name_ = absl::StrCat("opencl:", number, " (", text, ")");
    cl_ulong bytes = 0;
    library_.GetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(bytes), &bytes, nullptr);
    memory_bytes_ = bytes;
  }

  absl::StatusOr<cl_command_queue> NewQueue(cl_command_queue_properties properties) {
    cl_int error = CL_SUCCESS;
    const cl_command_queue queue =
        library_.CreateCommandQueue(context_->handle, device_, properties, &error);
    if (error != CL_SUCCESS) return ErrorOf(error, absl::StrCat("making a queue of ", name_));
    return queue;
  }
  // Under launching_.
  absl::StatusOr<cl_command_queue> NextQueue(int units) {
    const auto wanted = static_cast<std::size_t>(std::max(1, units));
    while (compute_.size() < wanted) {
      const absl::StatusOr<cl_command_queue> queue =
          NewQueue(operations_.records_times() ? CL_QUEUE_PROFILING_ENABLE : 0);
      if (!queue.ok()) return queue;
      compute_.push_back(*queue);
    }
    return compute_[launched_++ % wanted];
  }

  // Under launching_.
  absl::Status SetArguments(const OpenClKernel& what, cl_kernel function,
                            std::span<const Tile> tiles, std::span<const std::byte> scalars) {
    cl_uint index = 0;
    cl_int error = CL_SUCCESS;
    const auto set = [&](std::size_t bytes, const void* value) {
      if (error == CL_SUCCESS) error = library_.SetKernelArg(function, index++, bytes, value);
    };
    if (what.blocks >= 0) {
      tiles = tiles.first(std::min(tiles.size(), static_cast<std::size_t>(what.blocks)));
    }
    for (const Tile& tile : tiles) {
      const cl_mem buffer = BufferOf(tile.data);
      set(sizeof(buffer), &buffer);
    }
    for (const std::size_t bytes : what.scalar_bytes) {
      if (bytes > scalars.size()) {
        return absl::InvalidArgumentError("the task has fewer bytes of scalars than its kernel");
      }
      set(bytes, scalars.data());
      scalars = scalars.subspan(bytes);
    }
    if (error == CL_SUCCESS) return absl::OkStatus();
    return ErrorOf(error, absl::StrCat(what.function, ", argument ", index - 1));
  }

  template <typename Call>
  absl::StatusOr<Ticket> Enqueue(cl_command_queue queue, std::span<const Ticket> after,
                                 const char* tried, Call call) {
    std::vector<std::shared_ptr<const Operation>> before;  // They are needed until the call.
    std::vector<cl_event> events;
    for (const Ticket ticket : after) {
      if (std::shared_ptr<const Operation> one = operations_.Find(ticket); one != nullptr) {
        events.push_back(one->event());
        before.push_back(std::move(one));
      }
    }
    TimeSpan asked;
    if (operations_.records_times()) asked.begin_ns = Recorder::Now().ns;
    cl_event event = nullptr;
    const cl_int error =
        call(static_cast<cl_uint>(events.size()), events.empty() ? nullptr : events.data(), &event);
    if (error != CL_SUCCESS) return ErrorOf(error, absl::StrCat(tried, " ", name_));
    if (operations_.records_times()) asked.end_ns = Recorder::Now().ns;
    const Ticket ticket =
        operations_.Add(std::make_shared<const Operation>(library_, event, asked));
    // Or another queue would wait for it for ever.
    library_.Flush(queue);
    return ticket;
  }

  const Library& library_;
  const std::shared_ptr<const Context> context_;
  const cl_device_id device_;
  std::string name_;
  std::uint64_t memory_bytes_ = 0;
  cl_command_queue in_ = nullptr, out_ = nullptr;
  opencl::Operations operations_;
  opencl::Programs programs_;
  std::mutex launching_;
  std::vector<cl_command_queue> compute_;  // under launching_
  std::size_t launched_ = 0;               // under launching_
};

std::vector<cl_device_id> DevicesOf(const Library& library, cl_platform_id platform) {
  cl_uint count = 0;
  library.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> devices(count);
  if (count > 0) library.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  return devices;
}

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Device>>> OpenClDevices(int most) {
  const absl::StatusOr<const Library*> library = opencl::Load();
  if (!library.ok()) return library.status();
  cl_uint count = 0;
  (*library)->GetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (count > 0) (*library)->GetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<std::unique_ptr<Device>> devices;
  for (const cl_platform_id platform : platforms) {
    std::vector<cl_device_id> of_it = DevicesOf(**library, platform);
    const std::size_t wanted = static_cast<std::size_t>(std::max(0, most)) - devices.size();
    if (of_it.size() > wanted) of_it.resize(wanted);
    if (of_it.empty()) continue;
    auto context = Context::Create(**library, of_it);
    if (!context.ok()) return context.status();
    for (const cl_device_id id : of_it) {
      auto device = OpenClDevice::Create(*context, id, static_cast<int>(devices.size()));
      if (!device.ok()) return device.status();
      devices.push_back(*std::move(device));
    }
  }
  if (devices.empty()) return absl::NotFoundError("no OpenCL: there is no device");
  return devices;
}

absl::StatusOr<std::string> OpenClBinary(Device& device, const OpenClKernel& kernel) {
  auto* const one = dynamic_cast<OpenClDevice*>(&device);
  if (one == nullptr) return absl::InvalidArgumentError("the device is none of OpenCL's");
  return one->Binary(kernel);
}

}  // namespace taskrt
