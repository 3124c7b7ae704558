// Pools for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "lwt/machine/sanitizer.h"
#include "lwt/pool.h"

namespace lwt {

inline std::unique_ptr<Pool> MakePool(int workers) {
  auto pool = Pool::Create({.workers = workers});
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

// Tests that hold with any number of workers: the parameter.
class WithWorkers : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Pool> pool_ = MakePool(GetParam());
};

// Threads that wait at once. ThreadSanitizer follows 8,128 at the most.
#if defined(LWT_TSAN)
inline constexpr int kMany = 2'000;
#else
inline constexpr int kMany = 10'000;
#endif

}  // namespace lwt
