#include "apps/matmul/problem/variant.h"

#include "gtest/gtest.h"

namespace matmul {
namespace {

TEST(VariantTest, CutoffHasAtLeastOneThreadAWorkerAndLessThanTwo) {
  EXPECT_EQ(DepthOfOneAWorker(1), 0);
  EXPECT_EQ(DepthOfOneAWorker(2), 1);
  EXPECT_EQ(DepthOfOneAWorker(32), 5) << "the paper's machine";
  for (int workers = 1; workers <= 100; ++workers) {
    const int threads = 1 << DepthOfOneAWorker(workers);
    EXPECT_GE(threads, workers);
    EXPECT_LT(threads, 2 * workers);
  }
}

}  // namespace
}  // namespace matmul
