#include "apps/bfs/run/graph500_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bfs {
namespace {

constexpr Graph500Run Example() {
  return {.scale = 20,
          .edge_factor = 16,
          .generation_seconds = 0.25,
          .construction_seconds = 3.5,
          .seconds = {0.001, 0.003},
          .tuples = {16776801, 16776801},
          .validation_seconds = {0.5, 1.5}};
}

// Format strings of the reference code, with values computed by hand.
TEST(ToGraph500Text, IsTheTextOfTheReferenceCode) {
  EXPECT_EQ(ToGraph500Text(Example()),
            "SCALE:                          20\n"
            "edgefactor:                     16\n"
            "NBFS:                           2\n"
            "graph_generation:               0.25\n"
            "num_mpi_processes:              1\n"
            "construction_time:              3.5\n"
            "bfs  min_time:                  0.001\n"
            "bfs  firstquartile_time:        0.001\n"
            "bfs  median_time:               0.002\n"
            "bfs  thirdquartile_time:        0.003\n"
            "bfs  max_time:                  0.003\n"
            "bfs  mean_time:                 0.002\n"
            "bfs  stddev_time:               0.00141421\n"
            "min_nedge:                      16776801\n"
            "firstquartile_nedge:            16776801\n"
            "median_nedge:                   16776801\n"
            "thirdquartile_nedge:            16776801\n"
            "max_nedge:                      16776801\n"
            "mean_nedge:                     16776801\n"
            "stddev_nedge:                   0\n"
            "bfs  min_TEPS:                  5.59227e+09\n"
            "bfs  firstquartile_TEPS:        5.59227e+09\n"
            "bfs  median_TEPS:               8.3884e+09\n"
            "bfs  thirdquartile_TEPS:        1.67768e+10\n"
            "bfs  max_TEPS:                  1.67768e+10\n"
            "bfs  harmonic_mean_TEPS:     !  8.3884e+09\n"
            "bfs  harmonic_stddev_TEPS:      5.93149e+09\n"
            "bfs  min_validate:              0.5\n"
            "bfs  firstquartile_validate:    0.5\n"
            "bfs  median_validate:           1\n"
            "bfs  thirdquartile_validate:    1.5\n"
            "bfs  max_validate:              1.5\n"
            "bfs  mean_validate:             1\n"
            "bfs  stddev_validate:           0.707107\n");
}

TEST(ToGraph500Text, TheGraphOfAFileHasNoScale) {
  Graph500Run run = Example();
  run.scale = {};
  EXPECT_THAT(ToGraph500Text(run), testing::StartsWith("NBFS:"));
}

TEST(ToGraph500Text, OneSearchWithoutTuplesHasNumbersOnly) {
  const Graph500Run run = {
      .scale = {}, .seconds = {1e-6}, .tuples = {0}, .validation_seconds = {1}};
  EXPECT_THAT(ToGraph500Text(run),
              testing::Not(testing::AnyOf(testing::HasSubstr("nan"), testing::HasSubstr("inf"))));
}

}  // namespace
}  // namespace bfs
