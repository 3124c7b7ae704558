// A matrix is factorized: real numbers, whatever runs the tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "taskrt/benches/cholesky_kernels.h"
#include "taskrt/benches/cholesky_tasks.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

using cholesky::Precision;
using testing::HasSubstr;

// Symmetric and positive definite, row by row.
template <typename T>
std::vector<T> MakeMatrix(int n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<T> number(-1, 1);
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> a(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) a[i * size + j] = a[j * size + i] = number(random);
    a[i * size + i] += static_cast<T>(n);
  }
  return a;
}

// The largest element of A - UᵀU, of the largest of A.
template <typename T>
double Residual(const std::vector<T>& a, const std::vector<T>& u, int n) {
  const auto size = static_cast<std::size_t>(n);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= i; ++k) sum += double{u[k * size + i]} * u[k * size + j];
      worst = std::max(worst, std::abs(sum - a[i * size + j]));
      largest = std::max(largest, std::abs(double{a[i * size + j]}));
    }
  }
  return worst / largest;
}

// In blocks of b; `matrix` becomes U in its upper triangle.
template <typename T>
absl::Status Factorize(Runtime& runtime, std::vector<T>& matrix, int n, int b, bool only_gemm) {
  constexpr Precision kPrecision = sizeof(T) == 4 ? Precision::kF32 : Precision::kF64;
  const int count = n / b;
  const std::uint64_t row = static_cast<std::uint64_t>(b) * sizeof(T);
  std::vector<Handle> handles(cholesky::BlocksOf(count));
  for (int k = 0; k < count; ++k) {
    for (int i = k; i < count; ++i) {
      T* const at = matrix.data() + static_cast<std::ptrdiff_t>(k) * b * n + i * b;
      handles[cholesky::BlockAt(k, i, count)] =
          runtime.Register(absl::StrCat("A[", k, "][", i, "]"),
                           {reinterpret_cast<std::byte*>(at), static_cast<std::uint64_t>(b), row,
                            static_cast<std::uint64_t>(n) * sizeof(T)});
    }
  }
  std::vector<Kernel> kernels;
  for (int which = 0; which < 4; ++which) {
    const auto kind = static_cast<cholesky::Kernel>(which);
    const Kernel::Body body = BodyOf(kind, kPrecision);
    Kernel kernel{std::string(NameOf(kind))};
    if (only_gemm && kind != cholesky::Kernel::kGemm) {
      kernel.OnHost(body);
    } else {
      kernel.OnSimulated(body);
    }
    kernels.push_back(kernel.Flops(cholesky::FlopsOf(kind, b)));
  }
  return runtime.Run([&](Runtime& rt) {
    cholesky::ForEachTask(count, [&](const cholesky::Task& task) {
      std::vector<Access> accesses;
      for (const PlannedAccess& access : AccessesOf(task, count)) {
        accesses.push_back({handles[access.block], access.mode});
      }
      rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses);
    });
    return rt.Wait();
  });
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
      const absl::Status done = Factorize(*runtime, factor, kN, kB, only_gemm);
      ASSERT_TRUE(done.ok()) << done;
      EXPECT_LT(Residual(matrix, factor, kN), bound);
      EXPECT_EQ(runtime->counts().tasks, 12u * 13 * 14 / 6);
    }
  }
}

TEST(Cholesky, IsRightInSinglePrecision) { ExpectRight<float>(1e-6); }
TEST(Cholesky, IsRightInDoublePrecision) { ExpectRight<double>(1e-15); }

TEST(Cholesky, AMatrixThatIsNotPositiveDefiniteIsToldWithTheColumn) {
  std::vector<double> matrix = MakeMatrix<double>(64);
  matrix[37 * 64 + 37] = -1;
  const auto runtime = MakeRuntime(1, true);
  const absl::Status done = Factorize(*runtime, matrix, 64, 16, true);
  EXPECT_THAT(done.ToString(), HasSubstr("task potrf(inout A[2][2]): the matrix is not positive "
                                         "definite in column 5"));
}

}  // namespace
}  // namespace taskrt
