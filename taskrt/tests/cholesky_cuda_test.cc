// The own CUDA kernels: on the host, on a driver without a GPU, and on a GPU where there is one.
#include "taskrt/workloads/cholesky_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/cuda/device.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/cholesky_on_host.h"
#include "taskrt/tests/factorize.h"
#include "taskrt/tests/fake_cuda.h"
#include "taskrt/tests/one_task.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using cholesky::CudaKernelOf;
using on_host::Order;

// As a device would.
template <typename T>
void RunOnHost(const CudaKernel& kernel, Order order, OneTask<T>& task) {
  std::vector<Tile> tiles = task.Tiles();
  std::vector<void*> arguments;
  for (Tile& tile : tiles) arguments.push_back(&tile.data);
  ASSERT_EQ(kernel.scalar_bytes, (std::vector<std::size_t>{sizeof(int), sizeof(int)}));
  arguments.push_back(&task.scalars.first_column);
  arguments.push_back(&task.scalars.side);
  const FakeCuda::Body body = CholeskyOnHost(order).at(kernel.function);
  ASSERT_EQ(body.argument_bytes.size(), arguments.size());
  body.run({arguments, kernel.grid, kernel.block});
}

TEST(CholeskyCuda, KernelsComputeAsOpenBlasWhicheverThreadComesToABarrierFirst) {
  for (const Order order : {Order::kForward, Order::kBackward}) {
    ForEachKindSideAndPrecision([&]<typename T>(cholesky::Kernel kind, int side, T) {
      ExpectAsOpenBlas<T>(kind, side, [&](OneTask<T>& task) {
        RunOnHost(CudaKernelOf(kind, kPrecisionOf<T>, side), order, task);
      });
    });
  }
}

TEST(CholeskyCuda, ABlockOfMoreColumnsThanThreadsIsFactorizedToo) {
  ExpectAsOpenBlas<double>(cholesky::Kernel::kPotrf, 100, [](OneTask<double>& task) {
    CudaKernel kernel = CudaKernelOf(task.kind, cholesky::Precision::kF64, task.side);
    kernel.block = {32, 1, 1};
    RunOnHost(kernel, Order::kForward, task);
  });
}

TEST(CholeskyCuda, ABlockThatIsNotPositiveDefiniteHasNoNumbersFromThatColumnOn) {
  OneTask<float> task(cholesky::Kernel::kPotrf, 64);
  task.Diagonal(40) = -1;
  RunOnHost(CudaKernelOf(task.kind, cholesky::Precision::kF32, 64), Order::kForward, task);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(std::isnan(task.Diagonal(i)), i >= 40) << i;
}

// By `devices`; blocks that are no multiple of a kernel's tile.
template <typename T>
void ExpectRight(std::vector<std::unique_ptr<Device>> devices, const std::string& image) {
  constexpr int kN = 160, kB = 40;
  RuntimeOptions options;
  options.pool.workers = 2;
  options.devices = std::move(devices);
  const auto runtime = *Runtime::Create(std::move(options));
  const std::vector<T> matrix = MakeMatrix<T>(kN);
  std::vector<T> factor = matrix;
  const absl::Status done = Factorize(*runtime, factor, kN, kB, [&](cholesky::Kernel kind) {
    CudaKernel kernel = CudaKernelOf(kind, kPrecisionOf<T>, kB);
    kernel.image = image;
    return Kernel(std::string(NameOf(kind))).OnCuda(kernel);
  });
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_LT(Residual(matrix, factor, kN), sizeof(T) == 4 ? 1e-6 : 1e-15);
}

TEST(CholeskyCuda, AMatrixIsFactorizedByThemOnTwoDevices) {
  FakeCuda fake;
  fake.functions = CholeskyOnHost(Order::kForward);
  ExpectRight<float>(*CudaDevicesOf(FakeDriver(fake), 2), "fake");
  ExpectRight<double>(*CudaDevicesOf(FakeDriver(fake), 2), "fake");
}

TEST(CholeskyCuda, OnAGpuTheFactorIsRight) {
  if (cholesky::CholeskyPtx().empty()) GTEST_SKIP() << "built without CUDA's toolkit";
  auto devices = CudaDevices(1);
  if (!devices.ok()) GTEST_SKIP() << devices.status().message();
  ExpectRight<float>(*std::move(devices), cholesky::CholeskyPtx());
  ExpectRight<double>(*CudaDevices(1), cholesky::CholeskyPtx());
}

}  // namespace
}  // namespace taskrt
