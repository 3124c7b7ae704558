// cuBLAS's and cuSOLVER's tasks: by OpenBLAS on the driver without a GPU, and by the real ones
// where they and a GPU are.
#include "taskrt/workloads/cholesky_cublas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/cuda/device.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/cholesky_on_host.h"
#include "taskrt/tests/factorize.h"
#include "taskrt/tests/fake_cuda.h"
#include "taskrt/tests/fake_cuda_libraries.h"
#include "taskrt/tests/one_task.h"
#include "taskrt/workloads/cholesky_cuda.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"
#include "taskrt/workloads/cuda_libraries.h"

namespace taskrt {
namespace {

using cholesky::LibraryTasks;
using testing::StartsWith;

FakeCuda MarkingCuda() { return {.functions = CholeskyOnHost(on_host::Order::kForward)}; }

// On a stream of its own, until it is done.
template <typename T>
void Compute(OneTask<T>& task) {
  FakeCuda fake = MarkingCuda();
  FakeLibraries fake_libraries;
  const cuda::Driver& driver = FakeDriver(fake);
  cuda::Stream stream = nullptr;
  cuda::Event event = nullptr;
  driver.StreamCreate(&stream, cuda::kStreamNonBlocking);
  driver.EventCreate(&event, cuda::kEventDisableTiming);
  {
    LibraryTasks libraries(driver, FakeCudaLibraries(fake_libraries), "fake");
    ASSERT_TRUE(libraries.Has(task.kind));
    const absl::Status asked = libraries.Ask(task.kind, kPrecisionOf<T>, task.Tiles(), stream);
    ASSERT_TRUE(asked.ok()) << asked;
    driver.EventRecord(event, stream);
    while (driver.EventQuery(event) == cuda::kNotReady) {
    }
  }
  driver.EventDestroy(event);
  driver.StreamDestroy(stream);
  EXPECT_EQ(fake_libraries.handles, 0);
  EXPECT_EQ(fake.allocations, 0);
  EXPECT_EQ(fake.modules, 0);
}

TEST(CholeskyCublas, OperandsAreThoseThatMakeWhatOpenBlasDoesByRows) {
  ForEachKindSideAndPrecision([]<typename T>(cholesky::Kernel kind, int side, T) {
    ExpectAsOpenBlas<T>(kind, side, [](OneTask<T>& task) { Compute(task); });
  });
}

TEST(CholeskyCublas, ABlockThatIsNotPositiveDefiniteHasNoNumbersFromThatColumnOn) {
  OneTask<double> task(cholesky::Kernel::kPotrf, 64);
  task.Diagonal(40) = -1;
  Compute(task);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(std::isnan(task.Diagonal(i)), i >= 40) << i;
}

TEST(CholeskyCublas, WithoutCusolverOrTheKernelThatMarksFailuresThereIsNoPotrf) {
  FakeCuda fake;
  FakeLibraries fake_libraries;
  cholesky::CudaLibraries libraries = FakeCudaLibraries(fake_libraries);
  const LibraryTasks without_ptx(FakeDriver(fake), libraries, "");
  libraries.without_cusolver = "no cuSOLVER";
  const LibraryTasks without_cusolver(FakeDriver(fake), libraries, "fake");
  for (const LibraryTasks* tasks : {&without_ptx, &without_cusolver}) {
    EXPECT_FALSE(tasks->Has(cholesky::Kernel::kPotrf));
    EXPECT_TRUE(tasks->Has(cholesky::Kernel::kGemm));
  }
}

TEST(CholeskyCublas, ALibraryThatIsNotFoundIsReportedInOneSentence) {
  const auto libraries = cholesky::LoadCudaLibraries("/nowhere");
  EXPECT_EQ(libraries.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(libraries.status().message()),
              StartsWith("no cuBLAS: /nowhere/libcublas.so.13: cannot open"));
}

template <typename T>
void ExpectRight(std::vector<std::unique_ptr<Device>> devices, const cuda::Driver& driver,
                 const cholesky::CudaLibraries& libraries, const std::string& ptx) {
  constexpr int kN = 192, kB = 32;
  RuntimeOptions options;
  options.pool.workers = 2;
  options.devices = std::move(devices);
  const auto runtime = *Runtime::Create(std::move(options));
  const auto tasks = std::make_shared<LibraryTasks>(driver, libraries, ptx);
  const std::vector<T> matrix = MakeMatrix<T>(kN);
  std::vector<T> factor = matrix;
  const absl::Status done = Factorize(*runtime, factor, kN, kB, [&](cholesky::Kernel kind) {
    EXPECT_TRUE(tasks->Has(kind));
    return Kernel(std::string(NameOf(kind)))
        .OnCudaStream(StreamBodyOf(tasks, kind, kPrecisionOf<T>));
  });
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_LT(Residual(matrix, factor, kN), sizeof(T) == 4 ? 1e-6 : 1e-15);
}

TEST(CholeskyCublas, AMatrixIsFactorizedByThemOnTwoDevicesAndAllIsGivenBack) {
  FakeCuda fake = MarkingCuda();
  FakeLibraries fake_libraries;
  const cuda::Driver& driver = FakeDriver(fake);
  ExpectRight<float>(*CudaDevicesOf(driver, 2), driver, FakeCudaLibraries(fake_libraries), "fake");
  EXPECT_EQ(fake_libraries.handles, 0);
  EXPECT_EQ(fake.allocations, 0);
  EXPECT_EQ(fake.modules, 0);
}

TEST(CholeskyCublas, TheRealLibrariesAreFoundOrReportedInOneSentence) {
  const auto libraries = cholesky::LoadCudaLibraries("");
  if (!libraries.ok()) {
    EXPECT_THAT(std::string(libraries.status().message()), StartsWith("no cuBLAS: "));
    GTEST_SKIP() << libraries.status().message();
  }
  EXPECT_NE(libraries->cublasDgemm_v2, nullptr);
  if (!libraries->without_cusolver.empty()) GTEST_SKIP() << libraries->without_cusolver;
  EXPECT_NE(libraries->cusolverDnDpotrf, nullptr);
}

TEST(CholeskyCublas, OnAGpuTheFactorIsRight) {
  auto devices = CudaDevices(1);
  if (!devices.ok()) GTEST_SKIP() << devices.status().message();
  const auto libraries = cholesky::LoadCudaLibraries("");
  if (!libraries.ok()) GTEST_SKIP() << libraries.status().message();
  const std::string ptx = cholesky::CholeskyPtx();
  if (!LibraryTasks(**cuda::Load(), *libraries, ptx).Has(cholesky::Kernel::kPotrf)) {
    GTEST_SKIP() << "no potrf: built without CUDA's toolkit, or there is no cuSOLVER";
  }
  ExpectRight<float>(*std::move(devices), **cuda::Load(), *libraries, ptx);
  ExpectRight<double>(*CudaDevices(1), **cuda::Load(), *libraries, ptx);
}

}  // namespace
}  // namespace taskrt
