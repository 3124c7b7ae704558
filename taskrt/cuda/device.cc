#include "taskrt/cuda/device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "lwt/spawn.h"
#include "lwt/timer.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/cuda/host_pins.h"
#include "taskrt/cuda/operations.h"
#include "taskrt/cuda/staging.h"
#include "taskrt/task/user_code.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

using cuda::Driver;
using cuda::ErrorOf;
using cuda::kSuccess;
using cuda::Result;

cuda::DevicePointer PointerTo(const std::byte* data) {
  return static_cast<cuda::DevicePointer>(reinterpret_cast<std::uintptr_t>(data));
}

class CudaDevice final : public Device {
 public:
  static absl::StatusOr<std::unique_ptr<CudaDevice>> Create(const Driver& driver, int number,
                                                            std::shared_ptr<cuda::HostPins> pins) {
    cuda::DeviceNumber device = 0;
    cuda::Context context = nullptr;
    Result made = driver.DeviceGet(&device, number);
    if (made == kSuccess) made = driver.DevicePrimaryCtxRetain(&context, device);
    if (made != kSuccess) return ErrorOf(driver, made, absl::StrCat("cuda:", number));
    std::unique_ptr<CudaDevice> result(new CudaDevice(driver, number, device, context));
    result->pins_ = std::move(pins);
    made = driver.CtxSetCurrent(context);
    std::vector<cuda::Stream*> streams = {&result->in_, &result->out_};
    for (cuda::Stream& stream : result->compute_) streams.push_back(&stream);
    for (cuda::Stream* const stream : streams) {
      if (made == kSuccess) made = driver.StreamCreate(stream, cuda::kStreamNonBlocking);
    }
    // What others have taken is not there.
    std::size_t free = 0, total = 0;
    if (made == kSuccess) made = driver.MemGetInfo(&free, &total);
    if (made != kSuccess) return ErrorOf(driver, made, result->name_);
    result->memory_bytes_ = free - std::min<std::size_t>(free / 16, kReserve);
    return result;
  }

  // All that was asked for has ended (mover.h), or never will.
  ~CudaDevice() override {
    driver_.CtxSetCurrent(context_);
    operations_.reset();
    for (const auto& [kernel, loaded] : functions_) driver_.ModuleUnload(loaded.module);
    for (const cuda::Stream stream : compute_) {
      if (stream != nullptr) driver_.StreamDestroy(stream);
    }
    if (in_ != nullptr) driver_.StreamDestroy(in_);
    if (out_ != nullptr) driver_.StreamDestroy(out_);
    staging_.reset();
    pins_.reset();
    driver_.DevicePrimaryCtxRelease(device_);
  }

  std::string name() const override { return name_; }
  std::uint64_t memory_bytes() const override { return memory_bytes_; }
  // Two for each stream: one computes, and the blocks of the next are copied.
  int tasks_in_flight() const override { return 2 * static_cast<int>(compute_.size()); }
  bool CanRun(const Kernel& kernel) const override {
    return kernel.cuda() != nullptr || kernel.cuda_stream() != nullptr;
  }

  absl::StatusOr<DeviceMemory> Allocate(std::uint64_t bytes) override {
    Enter();
    cuda::DevicePointer pointer = 0;
    const Result made = driver_.MemAlloc(&pointer, bytes);
    if (made != kSuccess) return Error(made, absl::StrCat("allocating ", bytes, " bytes on"));
    return DeviceMemory{reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(pointer)), bytes};
  }
  void Free(DeviceMemory memory) override {
    Enter();
    driver_.MemFree(PointerTo(memory.data));
  }

  absl::StatusOr<Ticket> CopyIn(const Tile& from, DeviceMemory to, Ticket after) override {
    Enter();
    if (pins_->Has(from)) {
      return Enqueue(in_, {&after, 1}, "copying to", {}, [&] {
        return driver_.MemcpyHtoDAsync(PointerTo(to.data), from.data, from.bytes(), in_);
      });
    }
    const absl::StatusOr<std::byte*> staged = staging_->Take(from.bytes());
    if (!staged.ok()) return staged.status();
    CopyRows(from, Packed(from, *staged));
    return Enqueue(
        in_, {&after, 1}, "copying to", {.staging = *staged, .bytes = from.bytes(), .to = {}},
        [&] { return driver_.MemcpyHtoDAsync(PointerTo(to.data), *staged, from.bytes(), in_); });
  }
  absl::StatusOr<Ticket> CopyOut(DeviceMemory from, const Tile& to, Ticket after) override {
    Enter();
    if (pins_->Has(to)) {
      return Enqueue(out_, {&after, 1}, "copying from", {}, [&] {
        return driver_.MemcpyDtoHAsync(to.data, PointerTo(from.data), to.bytes(), out_);
      });
    }
    const absl::StatusOr<std::byte*> staged = staging_->Take(to.bytes());
    if (!staged.ok()) return staged.status();
    return Enqueue(
        out_, {&after, 1}, "copying from", {.staging = *staged, .bytes = to.bytes(), .to = to},
        [&] { return driver_.MemcpyDtoHAsync(*staged, PointerTo(from.data), to.bytes(), out_); });
  }
  void Pin(std::span<std::byte> memory) override {
    Enter();
    pins_->Pin(memory);
  }
  void Unpin(std::span<std::byte> memory) override {
    Enter();
    pins_->Unpin(memory);
  }
  absl::StatusOr<Ticket> CopyAcross(Device& source, DeviceMemory from, DeviceMemory to) override {
    const auto* const other = dynamic_cast<CudaDevice*>(&source);
    if (other == nullptr) return absl::UnimplementedError("devices of other kinds");
    Enter();
    return Enqueue(in_, {}, "copying between devices to", {}, [&] {
      return driver_.MemcpyPeerAsync(PointerTo(to.data), context_, PointerTo(from.data),
                                     other->context_, from.bytes, in_);
    });
  }

  absl::StatusOr<Ticket> Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                std::span<const std::byte> scalars, std::span<const Ticket> after,
                                std::uint64_t) override {
    Enter();
    const cuda::Stream stream = compute_[launched_.fetch_add(1) % compute_.size()];
    if (kernel.cuda_stream() != nullptr) {
      absl::Status asked;
      const absl::StatusOr<Ticket> ticket = Enqueue(stream, after, "running on", {}, [&] {
        asked = OfBody(StatusOfCall([&] { return kernel.cuda_stream()(tiles, scalars, stream); }));
        return kSuccess;
      });
      if (!ticket.ok()) return ticket;
      if (asked.ok()) return ticket;
      (void)Wait(*ticket);  // What it asked for before it failed.
      return asked;
    }
    const absl::StatusOr<cuda::Function> function = FunctionOf(kernel.cuda());
    if (!function.ok()) return function.status();
    const CudaKernel& what = *kernel.cuda();
    std::array<cuda::DevicePointer, 64> pointers;
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      pointers[i] = PointerTo(tiles[i].data);
      arguments.push_back(&pointers[i]);
    }
    for (const std::size_t bytes : what.scalar_bytes) {
      if (bytes > scalars.size()) {
        return absl::InvalidArgumentError("the task has fewer bytes of scalars than its kernel");
      }
      arguments.push_back(const_cast<std::byte*>(scalars.data()));
      scalars = scalars.subspan(bytes);
    }
    return Enqueue(stream, after, "running on", {}, [&] {
      return driver_.LaunchKernel(*function, what.grid[0], what.grid[1], what.grid[2],
                                  what.block[0], what.block[1], what.block[2], what.shared_bytes,
                                  stream, arguments.data(), nullptr);
    });
  }

  // A driver that calls back may call nothing itself, and holds its queue meanwhile: looking costs
  // less. At first others run in between; what takes longer is slept for.
  absl::Status Wait(Ticket ticket) override {
    const std::shared_ptr<cuda::Operation> operation = operations_->Find(ticket);
    if (operation == nullptr) return absl::OkStatus();
    for (int looks = 0;; ++looks) {
      Enter();
      const Result state = operations_->Query(*operation);
      if (state == kSuccess) break;
      if (state != cuda::kNotReady) return Error(state, "waiting for");
      if (looks < kLooks) {
        lwt::Yield();
      } else {
        lwt::SleepUntil(lwt::DeadlineAfter(kNap));
      }
    }
    operations_->Finish(ticket, *operation);
    return absl::OkStatus();
  }

  void RecordTimes() override {
    Enter();
    operations_->RecordTimes();
  }
  std::optional<TimeSpan> SpanOf(Ticket ticket) override {
    Enter();
    return operations_->SpanOf(ticket);
  }

 private:
  static constexpr std::size_t kReserve = 256 << 20;  // for libraries' own memory
  static constexpr int kLooks = 64;
  static constexpr auto kNap = std::chrono::microseconds(20);

  struct Loaded {
    cuda::Module module = nullptr;
    cuda::Function function = nullptr;
  };

  CudaDevice(const Driver& driver, int number, cuda::DeviceNumber device, cuda::Context context)
      : driver_(driver), device_(device), context_(context) {
    char text[256] = "";
    driver_.DeviceGetName(text, sizeof(text) - 1, device);
    name_ = absl::StrCat("cuda:", number, " (", text, ")");
  }

  // In each call, as a lightweight thread may have come to another OS thread.
  void Enter() const { driver_.CtxSetCurrent(context_); }
  absl::Status Error(Result error, const std::string& tried) const {
    return ErrorOf(driver_, error, absl::StrCat(tried, " ", name_));
  }

  absl::StatusOr<cuda::Function> FunctionOf(const std::shared_ptr<const CudaKernel>& kernel) {
    const topo::Lock lock(functions_mutex_);
    if (const auto found = functions_.find(kernel); found != functions_.end()) {
      return found->second.function;
    }
    Loaded loaded;
    Result made = kSuccess;
    // PTX is compiled: that needs more stack than a lightweight thread has.
    std::thread([&] {
      Enter();
      made = driver_.ModuleLoadData(&loaded.module, kernel->image.c_str());
    }).join();
    if (made != kSuccess) return Error(made, absl::StrCat("loading ", kernel->function, " on"));
    made = driver_.ModuleGetFunction(&loaded.function, loaded.module, kernel->function.c_str());
    if (made != kSuccess) {
      driver_.ModuleUnload(loaded.module);
      return Error(made, absl::StrCat("finding ", kernel->function, " on"));
    }
    functions_.emplace(kernel, loaded);
    return loaded.function;
  }

  template <typename Call>
  absl::StatusOr<Ticket> Enqueue(cuda::Stream stream, std::span<const Ticket> after,
                                 const char* tried, const cuda::Transfer& transfer, Call call) {
    Ticket ticket = kDone;
    const Result result = operations_->Enqueue(stream, after, transfer, call, ticket);
    if (result != kSuccess) return Error(result, tried);
    return ticket;
  }

  const Driver& driver_;
  const cuda::DeviceNumber device_;
  const cuda::Context context_;
  std::string name_;
  std::uint64_t memory_bytes_ = 0;
  cuda::Stream in_ = nullptr, out_ = nullptr;
  // A block's kernel leaves most of a large GPU idle: DESIGN.md has what more streams gave.
  std::array<cuda::Stream, 8> compute_ = {};
  std::atomic<std::size_t> launched_{0};
  std::shared_ptr<cuda::HostPins> pins_;
  std::unique_ptr<cuda::Staging> staging_ = std::make_unique<cuda::Staging>(driver_);
  std::unique_ptr<cuda::Operations> operations_ =
      std::make_unique<cuda::Operations>(driver_, *staging_);
  topo::Mutex functions_mutex_;
  std::map<std::shared_ptr<const CudaKernel>, Loaded> functions_ ABSL_GUARDED_BY(functions_mutex_);
};

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevicesOf(const cuda::Driver& driver,
                                                                   int most) {
  int count = 0;
  if (const Result counted = driver.DeviceGetCount(&count); counted != kSuccess) {
    return ErrorOf(driver, counted, "no CUDA: counting devices");
  }
  if (count == 0) return absl::NotFoundError("no CUDA: there is no device");
  const auto pins = std::make_shared<cuda::HostPins>(driver);
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < std::min(count, most); ++i) {
    auto device = CudaDevice::Create(driver, i, pins);
    if (!device.ok()) return device.status();
    devices.push_back(*std::move(device));
  }
  return devices;
}

absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevices(int most) {
  const absl::StatusOr<const Driver*> driver = cuda::Load();
  if (!driver.ok()) return driver.status();
  return CudaDevicesOf(**driver, most);
}

}  // namespace taskrt
