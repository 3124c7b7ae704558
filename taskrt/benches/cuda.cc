// Our factorization on a GPU: all tasks there, by cuBLAS and cuSOLVER where these are found and
// else by kernels of our own. No rows where there is no GPU.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lwt/event.h"
#include "taskrt/benches/gpu.h"
#include "taskrt/benches/matrix.h"
#include "taskrt/cuda/device.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/runtime.h"
#include "taskrt/workloads/cholesky_on_cuda.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace {

using taskrt::Handle;
using taskrt::Kernel;
using taskrt::Mode;
using taskrt::Runtime;
using taskrt::Tile;

absl::Status CopyThere(std::span<const Tile> tiles, void* stream) {
  const taskrt::cuda::Driver& driver = **taskrt::cuda::Load();
  taskrt::cuda::Context context = nullptr;
  driver.CtxGetCurrent(&context);
  const auto at = [](const Tile& tile) {
    return static_cast<taskrt::cuda::DevicePointer>(reinterpret_cast<std::uintptr_t>(tile.data));
  };
  const auto result =
      driver.MemcpyPeerAsync(at(tiles[1]), context, at(tiles[0]), context, tiles[1].bytes(),
                             static_cast<taskrt::cuda::Stream>(stream));
  return result == taskrt::cuda::kSuccess ? absl::OkStatus()
                                          : taskrt::cuda::ErrorOf(driver, result, "copying");
}

void Check(const absl::Status& status) {
  if (!status.ok()) std::puts(status.ToString().c_str());
}

template <typename Real>
class Taskrt {
 public:
  static constexpr const char* kName = "taskrt";

  Taskrt(factorization::Matrix<Real>& matrix, int block)
      : matrix_(matrix), block_(block), count_(matrix.n() / block) {
    std::vector<std::string> notes;
    const auto bodies = cholesky::CudaBodies::Find(1, notes);
    constexpr auto kPrecision =
        sizeof(Real) == 4 ? cholesky::Precision::kF32 : cholesky::Precision::kF64;
    using enum cholesky::Kernel;
    for (const cholesky::Kernel kind : {kPotrf, kTrsm, kSyrk, kGemm}) {
      kernels_.emplace_back(std::string(NameOf(kind)));
      bodies.AddTo(kernels_.back(), kind, kPrecision, block);
    }
    taskrt::RuntimeOptions options;
    options.devices = *taskrt::CudaDevices(1);
    runtime_ = *Runtime::Create(std::move(options));
    blocks_ = RegisterAll(matrix.data());
  }

  void Factorize() {
    Check(runtime_->Run([&](Runtime& runtime) {
      // The program has written the matrix.
      for (const Handle block : blocks_) Check(runtime.WaitOn(block, Mode::kInOut));
      SubmitAll(runtime, nullptr);
      return runtime.Wait();
    }));
  }

  void Place() {
    if (originals_.empty()) originals_ = RegisterAll(matrix_.original());
    runtime_->Run([&](Runtime& runtime) {
      std::vector<lwt::Event> copied(blocks_.size());
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const taskrt::Access accesses[] = {{originals_[i], Mode::kIn}, {blocks_[i], Mode::kOut}};
        runtime.Submit(copy_, accesses, {}, {.ended = &copied[i]});
      }
      for (lwt::Event& one : copied) one.Wait("a block");
      return 0;
    });
  }
  // Waits for the tasks alone, so that all stays on the device.
  void FactorizePlaced() {
    runtime_->Run([&](Runtime& runtime) {
      lwt::Event ended;
      SubmitAll(runtime, &ended);
      ended.Wait("the last block");
      return 0;
    });
  }
  void Fetch() { Check(runtime_->Wait()); }

 private:
  std::uint64_t Size() const { return static_cast<std::uint64_t>(matrix_.n()); }

  std::vector<Handle> RegisterAll(Real* data) {
    const auto side = static_cast<std::uint64_t>(block_);
    std::vector<Handle> handles;
    for (std::uint64_t row = 0; row < Size(); row += side) {
      for (std::uint64_t column = row; column < Size(); column += side) {
        handles.push_back(
            runtime_->Register("A", {reinterpret_cast<std::byte*>(data + row * Size() + column),
                                     side, side * sizeof(Real), Size() * sizeof(Real)}));
      }
    }
    return handles;
  }

  // `ended`, or null: set with the last task, which needs all others.
  void SubmitAll(Runtime& runtime, lwt::Event* ended) {
    cholesky::ForEachTask(count_, [&](const cholesky::Task& task) {
      std::vector<taskrt::Access> accesses;
      for (const auto& access : cholesky::AccessesOf(task, count_)) {
        accesses.push_back({blocks_[access.block], access.mode});
      }
      const cholesky::TaskScalars scalars = {.first_column = task.k * block_, .side = block_};
      const bool is_last = task.kernel == cholesky::Kernel::kPotrf && task.k == count_ - 1;
      runtime.Submit(kernels_[static_cast<std::size_t>(task.kernel)], accesses,
                     std::as_bytes(std::span(&scalars, 1)),
                     {.priority = cholesky::PriorityOf(task), .ended = is_last ? ended : nullptr});
    });
  }

  factorization::Matrix<Real>& matrix_;
  const int block_, count_;
  const Kernel copy_ = Kernel("copy").OnCudaStream(
      [](std::span<const Tile> tiles, auto, void* stream) { return CopyThere(tiles, stream); });
  std::vector<Kernel> kernels_;
  std::unique_ptr<Runtime> runtime_;
  std::vector<Handle> blocks_, originals_;
};

}  // namespace

int main(int argc, char** argv) {
  if (const auto devices = taskrt::CudaDevices(1); devices.ok()) {
    gpu::Register<Taskrt>();
    benchmark::AddCustomContext("note", "taskrt and cusolver run on " + devices->front()->name());
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
