// ScopedAffinity inside an OpenMP region: the threads are OpenMP's.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <cstdlib>
#include <vector>

#include "topo/affinity.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

TEST(OpenMp, EachThreadOfARegionIsPinnedForThatRegionOnly) {
  const int threads = Here().allowed_pus();
  const Mapping mapping = *Plan(Here(), Policy::kScatter, threads);
  const PuSet before = *AffinityMask(0);
  std::vector<int> ran_on(threads, -1);
  std::vector<PuSet> after(threads);
#pragma omp parallel num_threads(threads)
  {
    const int id = omp_get_thread_num();
    {
      const auto pin = ScopedAffinity::Pin(Here(), mapping[id]);
      if (pin.ok()) ran_on[id] = sched_getcpu();
#pragma omp barrier
    }
    after[id] = *AffinityMask(0);
  }
  for (int id = 0; id < threads; ++id) {
    EXPECT_EQ(ran_on[id], ToInt(mapping[id].pu));
    EXPECT_EQ(after[id], before);
  }
}

// Runs with OMP_PROC_BIND (openmp_bound_test): the runtime has bound the main
// thread before main began.
TEST(OpenMp, AMainThreadThatTheRuntimeBoundHidesNoPu) {
  if (std::getenv("OMP_PROC_BIND") == nullptr) GTEST_SKIP() << "runs as openmp_bound_test";
  int in_places = 0;
  for (int i = 0; i < omp_get_num_places(); ++i) in_places += omp_get_place_num_procs(i);
  ASSERT_GT(in_places, 0);
  EXPECT_EQ(Here().allowed_pus(), in_places);
  EXPECT_TRUE(in_places == 1 || AffinityMask(0)->size() < in_places);
}

}  // namespace
}  // namespace topo
