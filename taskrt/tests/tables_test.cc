// The paper's counts of copies, while the runtime computes on devices that have memory of their
// own.
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

void ExpectRun(int count, int devices, bool only_gemm, const MoverOptions& mover, std::uint64_t h2d,
               std::uint64_t d2h, std::uint64_t d2d) {
  Mixed expected(count), mixed(count);
  expected.ComputeAlone();
  const auto runtime = MakeSimulatedRuntime(devices, {}, mover);
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(only_gemm));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  const CopyCounts copies = runtime->counts().copies;
  EXPECT_EQ(copies.h2d.copies, h2d);
  EXPECT_EQ(copies.d2h.copies, d2h);
  EXPECT_EQ(copies.d2d.copies, d2d);
  if (mover.optimizes) {
    EXPECT_EQ(runtime->counts().least.copies, h2d + d2h + d2d);
  }
}

TEST(Tables, CopiesAsTable3Says) {
  ExpectRun(32, 1, true, {}, 960, 465, 0);
  ExpectRun(32, 1, true, {.optimizes = false}, 14'880, 4'960, 0);
}

TEST(Tables, CopiesAsTable5Says) {
  ExpectRun(32, 2, true, {}, 1451, 465, 2248);
  ExpectRun(32, 4, true, {}, 2418, 465, 3372);
}

TEST(Tables, AllOnDevicesEachBlockGoesAndComesOnce) { ExpectRun(32, 1, false, {}, 528, 528, 0); }

TEST(Tables, InHalfTheMemoryTheBlockThatIsUsedLastGoesFirstAndLessIsCopiedThanByLru) {
  std::uint64_t copied[2] = {};
  for (const Eviction eviction : {Eviction::kFarthestUse, Eviction::kLeastRecently}) {
    Mixed expected(32), mixed(32);
    expected.ComputeAlone();
    const auto runtime =
        MakeSimulatedRuntime(1, {}, {.device_bytes = 264 * 5 * sizeof(int), .eviction = eviction});
    const absl::Status done = mixed.Compute(*runtime, OnSimulated(false));
    EXPECT_TRUE(done.ok()) << done;
    EXPECT_EQ(mixed.blocks(), expected.blocks());
    copied[static_cast<int>(eviction)] = runtime->counts().copies.h2d.copies;
  }
  EXPECT_LE(copied[0], copied[1] / 2) << copied[0] << " against " << copied[1];
}

}  // namespace
}  // namespace taskrt
