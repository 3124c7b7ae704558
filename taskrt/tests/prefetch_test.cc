// Blocks that are brought before a task asks for them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "taskrt/runtime.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

TEST(Prefetch, ABlockIsThereBeforeATaskAsksForIt) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}, {.name = "sim:1"}});
  std::vector<int> values(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  runtime->Submit(kAddOnHost, {{handle, Mode::kInOut}});  // No device runs it.
  runtime->Prefetch(handle, 1);
  runtime->Prefetch(handle, 2);
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(runtime->counts().copies.h2d.copies, 2u);
  EXPECT_EQ(runtime->counts().tasks, 1u);
  EXPECT_EQ(runtime->counts().tasks_on_devices, 0u);
  runtime->Submit(adds, {{handle, Mode::kInOut}});
  runtime->Prefetch(handle, kHost);
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(values, std::vector<int>(5, 2));
  EXPECT_EQ(runtime->counts().copies.h2d.copies, 2u);
  EXPECT_EQ(runtime->counts().copies.d2h.copies, 1u);
}

TEST(Prefetch, TheNextWriterComesAfterIt) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}});
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  std::vector<int> values(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values));
  for (int i = 0; i < 200; ++i) {
    runtime->Prefetch(handle, 1);
    runtime->Submit(i % 2 == 0 ? adds : kAddOnHost, {{handle, Mode::kInOut}});
    runtime->Prefetch(handle, kHost);
  }
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(values, std::vector<int>(5, 200));
}

TEST(Prefetch, AfterWritersWhosePlaceIsChosenLateToo) {
  const auto runtime =
      MakeRuntime({{.name = "sim:0"}, {.name = "sim:1"}}, std::make_unique<EarliestFinish>());
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  std::vector<int> values(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values));
  for (int i = 1; i <= 20; ++i) {
    runtime->Submit(adds, {{handle, Mode::kInOut}});
    for (const Place place : {kHost, 1, 2}) runtime->Prefetch(handle, place);
    ASSERT_TRUE(runtime->WaitOn(handle, Mode::kInOut).ok());
    EXPECT_EQ(values, std::vector<int>(5, i));
    // To where it is computed; home, and to the other device.
    EXPECT_EQ(runtime->counts().copies.copies(), 3u * static_cast<unsigned>(i));
    EXPECT_EQ(runtime->counts().least.copies, 3u * static_cast<unsigned>(i));
  }
  EXPECT_EQ(runtime->counts().tasks, 20u);
}

TEST(Prefetch, ABlockThatIsChangedLaterIsSeenToBeOldThere) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}, {.name = "sim:1"}});
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  std::vector<int> values(5, 0), other(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values)),
               elsewhere = runtime->Register("other", TileOf(other));
  for (int i = 0; i < 10; ++i) {  // By turns on sim:0 and sim:1.
    runtime->Prefetch(handle, 1);
    runtime->Prefetch(handle, 2);
    runtime->Submit(adds, {{handle, Mode::kInOut}});
    runtime->Submit(adds, {{elsewhere, Mode::kInOut}});
    runtime->Submit(adds, {{handle, Mode::kInOut}});
  }
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(values, std::vector<int>(5, 20));
  EXPECT_EQ(runtime->counts().least.copies, runtime->counts().copies.copies());
}

TEST(Prefetch, AnImpossiblePrefetchIsNotDone) {
  const auto runtime = MakeRuntime(
      {{.name = "sim:0", .memory_bytes = 20, .kernels_until_lost = 1}, {.name = "sim:1"}});
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  std::vector<int> values(5, 0), large(100, 0), other(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values)),
               too_large = runtime->Register("large", TileOf(large)),
               lost = runtime->Register("other", TileOf(other));
  runtime->Prefetch(too_large, 1);
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(runtime->counts().copies.copies(), 0u);
  for (int i = 0; i < 4; ++i) {  // sim:0 is lost with its second kernel.
    runtime->Submit(adds, {{handle, Mode::kInOut}});
    ASSERT_TRUE(runtime->WaitOn(handle).ok());
  }
  EXPECT_EQ(values, std::vector<int>(5, 4));
  const std::uint64_t before = runtime->counts().copies.copies();
  runtime->Prefetch(lost, 1);
  EXPECT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(runtime->counts().copies.copies(), before);
}

}  // namespace
}  // namespace taskrt
