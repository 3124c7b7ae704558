#include "apps/stencil/sweep/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace stencil {
namespace {

double At(const Problem& problem, const std::vector<double>& grid, std::uint64_t z, std::uint64_t y,
          std::uint64_t x) {
  return grid[(z * problem.ny + y) * problem.nx + x];
}

TEST(Kernel, APointBecomesTheMeanOfItsNeighborhoodAndFacesStay) {
  // Rows shorter than a register, and longer than what is summed at once.
  for (const auto& [points, nx] : {std::pair(7, 3u),
                                   {7, 7u},
                                   {7, 10u},
                                   {7, 11u},
                                   {7, 64u},
                                   {7, 301u},
                                   {27, 3u},
                                   {27, 7u},
                                   {27, 258u},
                                   {27, 259u},
                                   {27, 600u}}) {
    const Problem problem = {.nz = 5, .ny = 6, .nx = nx, .points = points};
    std::vector<double> in(problem.size()), out(problem.size());
    Fill(problem, {in.data()}, {0, problem.nz});
    Sweep(problem, {in.data()}, {out.data()}, {0, problem.nz});
    for (std::uint64_t z = 0; z < problem.nz; ++z) {
      for (std::uint64_t y = 0; y < problem.ny; ++y) {
        for (std::uint64_t x = 0; x < problem.nx; ++x) {
          const bool is_face = z == 0 || z == 4 || y == 0 || y == 5 || x == 0 || x + 1 == nx;
          double expected = At(problem, in, z, y, x);
          if (!is_face && points == 7) {
            expected = 0.4 * expected +
                       0.1 * (At(problem, in, z - 1, y, x) + At(problem, in, z + 1, y, x) +
                              At(problem, in, z, y - 1, x) + At(problem, in, z, y + 1, x) +
                              At(problem, in, z, y, x - 1) + At(problem, in, z, y, x + 1));
          } else if (!is_face) {
            expected = 0;
            for (int d = 0; d < 27; ++d) {
              const auto i = static_cast<std::uint64_t>(d);
              expected += At(problem, in, z + i / 9 - 1, y + i / 3 % 3 - 1, x + i % 3 - 1) / 27;
            }
          }
          EXPECT_NEAR(At(problem, out, z, y, x), expected, 4e-16) << z << " " << y << " " << x;
        }
      }
    }
  }
}

TEST(Kernel, ASlabAloneIsAsItIsInTheWholeGrid) {
  const Problem problem = {.nz = 23, .ny = 5, .nx = 8, .steps = 4};
  const std::vector<double> whole = ComputeAlone(problem, {0, problem.nz});
  for (int rank = 0; rank < 3; ++rank) {
    const Slab slab = SlabOf(problem, rank, 3);
    const std::vector<double> part = ComputeAlone(problem, slab);
    for (std::size_t i = 0; i < part.size(); ++i) {
      ASSERT_EQ(part[i], whole[slab.first * problem.plane() + i]);
    }
  }
}

TEST(Kernel, AValueThatIsNoneIsAnError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ErrorOf(std::vector{1.0, 2.0}, std::vector{1.0, 2.5}), 0.5);
  EXPECT_EQ(ErrorOf(std::vector{nan, 2.0}, std::vector{1.0, 2.0}), HUGE_VAL);
}

TEST(Problem, SlabsShareThePlanes) {
  const Problem problem = {.nz = 10};
  EXPECT_EQ(SlabOf(problem, 0, 3).last, 4u);
  EXPECT_EQ(SlabOf(problem, 1, 3).first, 4u);
  EXPECT_EQ(SlabOf(problem, 2, 3).last, 10u);
  EXPECT_EQ(Widened({4, 7}, 2, 10).first, 2u);
  EXPECT_EQ(Widened({4, 7}, 20, 10).last, 10u);
  EXPECT_EQ(Widened({4, 7}, 20, 10).first, 0u);
}

TEST(Problem, ThreadsShareASlabAndSlabsMayHaveNothingInCommon) {
  EXPECT_EQ(PartOf({4, 7}, 0, 2).last, 5u);
  EXPECT_EQ(PartOf({4, 7}, 1, 2).first, 5u);
  EXPECT_EQ(PartOf({4, 7}, 1, 2).last, 7u);
  EXPECT_EQ(PartOf({4, 5}, 0, 2).size() + PartOf({4, 5}, 1, 2).size(), 1u);
  EXPECT_EQ(Common({4, 7}, {5, 9}).first, 5u);
  EXPECT_EQ(Common({4, 7}, {5, 9}).last, 7u);
  EXPECT_EQ(Common({4, 5}, {6, 9}).size(), 0u);
}

TEST(Problem, ASizeThatDoesNotFitIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(Check({.nz = 2}, 1, 4096)));
  EXPECT_TRUE(absl::IsInvalidArgument(Check({.nz = 4}, 5, 4096)));
  EXPECT_TRUE(absl::IsInvalidArgument(Check({.ny = 10, .nx = 10}, 2, 4096)));
  EXPECT_TRUE(Check({.ny = 10, .nx = 10}, 1, 4096).ok());
  EXPECT_TRUE(Check({}, 4, 65536).ok());
}

}  // namespace
}  // namespace stencil
