// A device with little memory makes room in the middle of what others do.
#include <gtest/gtest.h>

#include <vector>

#include "lwt/event.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

constexpr std::uint64_t kBlock = Mixed::kInts * sizeof(int);

TEST(Eviction, ADeadValueIsNotCopiedOverWhatATaskOfTheHostIsWriting) {
  const auto runtime = MakeRuntime({{.memory_bytes = 2 * kBlock}});
  const Kernel on_device = Kernel("add").OnSimulated(AddOne);
  lwt::Event has_written, may_end;
  const Kernel writes = Kernel("writes").OnHost([&](std::span<const Tile> tiles, auto) {
    for (int& value : Ints(tiles[0])) value = 77;
    has_written.Set();
    may_end.Wait();
    return absl::OkStatus();
  });
  std::vector<int> a(Mixed::kInts, 1), b = a, c = a;
  const Handle first = runtime->Register("a", TileOf(a)),
               second = runtime->Register("b", TileOf(b)),
               third = runtime->Register("c", TileOf(c));
  runtime->Submit(on_device, {{first, Mode::kInOut}});  // Only the device has its value then,
  runtime->Submit(writes, {{first, Mode::kOut}});       // which is dead from here on.
  has_written.Wait();
  runtime->Submit(on_device, {{second, Mode::kInOut}, {third, Mode::kInOut}});  // Both need room.
  EXPECT_TRUE(runtime->WaitOn(second).ok());
  EXPECT_TRUE(runtime->WaitOn(third).ok());
  may_end.Set();
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(a, std::vector<int>(Mixed::kInts, 77));
  EXPECT_EQ(runtime->counts().copies.d2h.copies, 2u) << "the dead value is not worth a copy";
}

TEST(Eviction, TheValueThatAFailedTaskWasToOverwriteIsStillThere) {
  const auto runtime = MakeRuntime({{.memory_bytes = 2 * kBlock}});
  const Kernel on_device = Kernel("add").OnSimulated(AddOne);
  const Kernel fails = Kernel("fails").OnHost([&](std::span<const Tile> tiles, auto) {
    for (int& value : Ints(tiles[0])) value = 77;
    return absl::AbortedError("in the middle");
  });
  std::vector<int> a(Mixed::kInts, 1);
  const Handle handle = runtime->Register("a", TileOf(a));
  runtime->Submit(on_device, {{handle, Mode::kInOut}});
  runtime->Submit(fails, {{handle, Mode::kOut}});
  EXPECT_EQ(runtime->Wait().message(), "task fails(out a): in the middle");
  EXPECT_EQ(a, std::vector<int>(Mixed::kInts, 2));
}

// A limit that was learned from a large block is not one for small blocks.
TEST(Eviction, MemoryThatWasShortOnceIsUsedUpToWhatIsThere) {
  const auto runtime = MakeRuntime({{.memory_bytes = 8 * kBlock, .taken_bytes = 3 * kBlock}});
  std::vector<int> small(Mixed::kInts, 1), large(3 * Mixed::kInts, 1), larger = large;
  const Kernel on_device = Kernel("add").OnSimulated(AddOne);
  const Handle a = runtime->Register("small", TileOf(small)),
               b = runtime->Register("large", TileOf(large)),
               c = runtime->Register("larger", TileOf(larger));
  runtime->Submit(on_device, {{b, Mode::kInOut}});
  runtime->Submit(on_device, {{c, Mode::kInOut}});                     // Five, not six, are there.
  runtime->Submit(on_device, {{a, Mode::kInOut}, {b, Mode::kInOut}});  // Four at once.
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(large, std::vector<int>(3 * Mixed::kInts, 3));
}

}  // namespace
}  // namespace taskrt
