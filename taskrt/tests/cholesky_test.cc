// A matrix is factorized: real numbers, whatever runs the tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/factorize.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

// By simulated devices, or only the products by them.
template <typename T>
auto KernelsOf(int b, bool only_gemm) {
  return [=](cholesky::Kernel kind) {
    const Kernel::Body body = BodyOf(kind, kPrecisionOf<T>);
    Kernel kernel{std::string(NameOf(kind))};
    if (only_gemm && kind != cholesky::Kernel::kGemm) {
      kernel.OnHost(body);
    } else {
      kernel.OnSimulated(body);
    }
    return kernel.Flops(cholesky::FlopsOf(kind, b));
  };
}

std::unique_ptr<Runtime> MakeRuntime(int devices, bool is_simulated) {
  RuntimeOptions options;
  options.pool.workers = 2;
  if (is_simulated) options.pool.simulation = lwt::SimulationOptions{};
  for (int i = 0; i < devices; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  }
  return *Runtime::Create(std::move(options));
}

template <typename T>
void ExpectRight(double bound) {
  constexpr int kN = 192, kB = 16;
  const std::vector<T> matrix = MakeMatrix<T>(kN);
  for (const bool is_simulated : {true, false}) {
    for (const bool only_gemm : {true, false}) {
      const auto runtime = MakeRuntime(2, is_simulated);
      std::vector<T> factor = matrix;
      const absl::Status done = Factorize(*runtime, factor, kN, kB, KernelsOf<T>(kB, only_gemm));
      ASSERT_TRUE(done.ok()) << done;
      EXPECT_LT(Residual(matrix, factor, kN), bound);
      EXPECT_EQ(runtime->counts().tasks, 12u * 13 * 14 / 6);
    }
  }
}

TEST(Cholesky, IsRightInSinglePrecision) { ExpectRight<float>(1e-6); }
TEST(Cholesky, IsRightInDoublePrecision) { ExpectRight<double>(1e-15); }

TEST(Cholesky, AMatrixThatIsNotPositiveDefiniteIsReportedWithTheColumn) {
  std::vector<double> matrix = MakeMatrix<double>(64);
  matrix[37 * 64 + 37] = -1;
  const auto runtime = MakeRuntime(1, true);
  const absl::Status done = Factorize(*runtime, matrix, 64, 16, KernelsOf<double>(16, true));
  EXPECT_THAT(done.ToString(), HasSubstr("task potrf(inout A[2][2]): the matrix is not positive "
                                         "definite in column 37"));
}

}  // namespace
}  // namespace taskrt
