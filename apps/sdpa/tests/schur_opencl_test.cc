// The Schur complement's factorization on OpenCL's devices: here PoCL's, which are this machine's
// processors with memory that is not the host's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/dense.h"
#include "apps/sdpa/tests/random_matrices.h"
#include "taskrt/devices.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

class SchurOnOpenCl : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Before the library is loaded. Two devices with a thread each.
    setenv("POCL_CACHE_DIR", testing::TempDir().c_str(), 1);
    setenv("POCL_DEVICES", "pthread pthread", 1);
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    UseOneThread();
  }
  void SetUp() override {
    const absl::Status there = taskrt::MakeDevices({.opencl = 2}, {}).AreAllThere();
    if (!there.ok()) GTEST_SKIP() << there.message();
  }

  static std::unique_ptr<taskrt::Runtime> RuntimeOf(int devices) {
    taskrt::RuntimeOptions options;
    options.pool.workers = 2;
    options.devices = taskrt::MakeDevices({.opencl = devices}, {}).devices;
    auto runtime = taskrt::Runtime::Create(std::move(options));
    EXPECT_TRUE(runtime.ok()) << runtime.status();
    return *std::move(runtime);
  }
};

TEST_F(SchurOnOpenCl, SolvesAsTheHostAndRefusesWhatIsNotPositiveDefinite) {
  constexpr std::size_t kConstraints = 100;
  std::mt19937_64 random(1);
  const Problem problem =
      MatricesOfShape(random, MatrixShape::kDense, {{Shape::kDense, 16}}, kConstraints);
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const Columns columns(problem, layout);
  const auto y = RandomPositive<double>(random, *layout),
             inverse = RandomPositive<double>(random, *layout);
  std::vector<double> right(kConstraints), negative = y;
  for (double& element : right) element = std::normal_distribution<double>()(random);
  for (double& element : negative) element = -element;

  const auto solution = [&](taskrt::Runtime& runtime) {
    return runtime.Run([&](taskrt::Runtime& rt) {
      DenseSchur<double> schur(rt, columns);
      EXPECT_TRUE(absl::IsFailedPrecondition(schur.Factor(negative, inverse, 0)));
      EXPECT_TRUE(schur.Factor(y, inverse, 0).ok());
      std::vector<double> x = right;
      schur.Solve(x);
      return x;
    });
  };
  const auto host = RuntimeOf(0);
  const std::vector<double> expected = solution(*host);
  for (const int devices : {1, 2}) {
    const auto runtime = RuntimeOf(devices);
    const std::vector<double> found = solution(*runtime);
    for (std::size_t i = 0; i < kConstraints; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
    const taskrt::RuntimeCounts counts = runtime->counts();
    EXPECT_EQ(counts.tasks_on_devices, 8u) << "4 tasks of 3 tiles, twice";
    EXPECT_EQ(counts.copies.h2d.copies + counts.copies.d2h.copies + counts.copies.d2d.copies,
              counts.least.copies);
  }
}

}  // namespace
}  // namespace sdpa
