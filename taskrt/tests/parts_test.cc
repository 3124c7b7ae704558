// Parts of blocks: their order with the whole, and the copies between.
#include "taskrt/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/on_devices.h"
#include "taskrt/typed.h"

namespace taskrt {
namespace {

int Next(int element, int more) {
  return static_cast<int>(3u * static_cast<unsigned>(element) + static_cast<unsigned>(more));
}

// Makes each element the next; on the host and on devices.
Kernel MakeAdd(std::string name = "add") {
  const auto body = [](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
    const View<int> view(tiles[0]);
    const int more = *reinterpret_cast<const int*>(scalars.data());
    for (std::size_t row = 0; row < view.rows(); ++row) {
      for (int& element : view.row(row)) element = Next(element, more);
    }
    return absl::OkStatus();
  };
  return Kernel(std::move(name)).OnHost(body).OnSimulated(body);
}

Completion Add(Runtime& runtime, const Kernel& add, const Matrix<int>& matrix, int more,
               Place place) {
  return runtime.Submit(add, {{matrix.handle, Mode::kInOut}}, std::as_bytes(std::span(&more, 1)),
                        {.place = place});
}

TEST(PartsOfBlocks, AreAGridOfTheWhole) {
  const auto runtime = MakeRuntime(0);
  Block<int> whole(*runtime, "whole", 5, 7);
  const Parts<int> tiles = Divide(*runtime, whole, 2, 3);
  EXPECT_EQ(tiles.rows(), 3u);
  EXPECT_EQ(tiles.columns(), 3u);
  const TypedKernel writes("writes", [](View<int> part, int to) {
    for (std::size_t row = 0; row < part.rows(); ++row) {
      for (int& element : part.row(row)) element = to;
    }
  });
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    Submit(*runtime, writes, out(tiles[i]), static_cast<int>(i));
  }
  const View<const int> view = *whole.Read();
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 7; ++column) {
      EXPECT_EQ(view(row, column), static_cast<int>(row / 2 * 3 + column / 3));
    }
  }
}

TEST(PartsOfBlocks, RunAtTheSameTimeAndTheWholeComesAfterAll) {
  const auto runtime = MakeRuntime(0);
  Block<int> whole(*runtime, "whole", 4, 4);
  const Parts<int> rows = DivideRows(*runtime, whole, 1);
  ASSERT_EQ(rows.size(), 4u);
  lwt::Event second;
  const TypedKernel waits("waits", [&](View<int> part) {
    second.Wait();
    part[0] = 1;
  });
  const TypedKernel sets("sets", [&](View<int> part) {
    part[0] = 2;
    second.Set();
  });
  const TypedKernel sums(
      "sums", [](View<const int> all) { return all(0, 0) + 10 * all(1, 0) + 100 * all(2, 0); });
  Submit(*runtime, waits, inout(rows[0]));
  Submit(*runtime, sets, inout(rows[1]));
  Future<int> sum = Submit(*runtime, sums, in(whole));
  Submit(*runtime, sets, inout(rows[2]));
  EXPECT_EQ(*sum.Get(), 21) << "not the part that was written after it";
  EXPECT_EQ(*Submit(*runtime, sums, in(whole)).Get(), 221);
}

// Each part comes to its device once and goes home once when the whole is used, and so does the
// whole.
TEST(PartsOfBlocks, CopiesAreThoseThatTheUsesNeed) {
  const auto runtime = MakeRuntime(2);
  Block<int> whole(*runtime, "whole", 4, 4);
  const Parts<int> rows = DivideRows(*runtime, whole, 1);
  const Kernel add = MakeAdd();
  Add(*runtime, add, whole, 1, DevicePlace(0));  // in
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 4; ++i) {  // out once, each in
      Add(*runtime, add, rows[i], static_cast<int>(i), DevicePlace(static_cast<int>(i % 2)));
    }
  }
  Add(*runtime, add, whole, 5, DevicePlace(1));  // each out, in
  ASSERT_TRUE(runtime->Wait().ok());             // out
  const CopyCounts copies = runtime->counts().copies;
  EXPECT_EQ(copies.h2d.copies, 1u + 4u + 1u);
  EXPECT_EQ(copies.d2h.copies, 1u + 4u + 1u);
  EXPECT_EQ(copies.h2d.bytes, 3 * 64u);
  EXPECT_EQ(copies.d2h.bytes, 3 * 64u);
  EXPECT_EQ((*whole.Read())(3, 0), 3 * (27 + 13 * 3) + 5);
}

TEST(PartsOfBlocks, PartsThatWereOnlyOnTheHostNeedNoCopy) {
  const auto runtime = MakeRuntime(1);
  Block<int> whole(*runtime, "whole", 4, 4);
  const Parts<int> columns = DivideColumns(*runtime, whole, 2);
  ASSERT_EQ(columns.size(), 2u);
  const Kernel add = MakeAdd();
  Add(*runtime, add, columns[0], 1, kHost);
  Add(*runtime, add, columns[1], 2, DevicePlace(0));
  Add(*runtime, add, whole, 1, kHost);
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(runtime->counts().copies.h2d.copies, 1u);
  EXPECT_EQ(runtime->counts().copies.d2h.copies, 1u);
  EXPECT_EQ((*whole.Read())(2, 1), 4);
  EXPECT_EQ((*whole.Read())(2, 2), 7);
}

// Random tasks on a matrix, its rows, its columns and tiles of its rows, on the host and devices,
// against the same in one thread.
TEST(PartsOfBlocks, RandomUsesOfAllDivisionsAreAsIfSequential) {
  constexpr std::size_t kRows = 6, kColumns = 8;
  const Kernel add = MakeAdd();
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const int devices = static_cast<int>(random() % 3);
    const auto runtime = MakeRuntime(devices);
    std::vector<int> values(kRows * kColumns, 1), expected = values;
    struct Known {
      Matrix<int> matrix;
      std::size_t row, column, rows, columns;
    };
    std::vector<Known> all;
    {
      Block<int> whole(*runtime, "m", values.data(), kRows, kColumns, kColumns);
      all.push_back({whole, 0, 0, kRows, kColumns});
      const auto divide = [&](const Known& known, std::size_t rows, std::size_t columns) {
        const Parts<int> parts = Divide(*runtime, known.matrix, rows, columns);
        std::vector<Known> added;
        for (std::size_t i = 0; i < parts.rows(); ++i) {
          for (std::size_t j = 0; j < parts.columns(); ++j) {
            added.push_back({parts(i, j), known.row + i * rows, known.column + j * columns,
                             std::min(rows, known.rows - i * rows),
                             std::min(columns, known.columns - j * columns)});
          }
        }
        all.insert(all.end(), added.begin(), added.end());
        return added;
      };
      const std::vector<Known> rows = divide(all[0], 2, kColumns);
      divide(all[0], kRows, 3);
      divide(rows[1], 1, 5);
      for (int i = 0; i < 60; ++i) {
        const Known& one = all[random() % all.size()];
        const int more = static_cast<int>(random() % 100);
        const Place place = static_cast<Place>(random() % static_cast<unsigned>(devices + 1));
        Add(*runtime, add, one.matrix, more, place);
        for (std::size_t row = one.row; row < one.row + one.rows; ++row) {
          for (std::size_t column = one.column; column < one.column + one.columns; ++column) {
            int& element = expected[row * kColumns + column];
            element = Next(element, more);
          }
        }
        if (random() % 20 == 0) {
          ASSERT_TRUE(runtime->Wait().ok());
          ASSERT_EQ(values, expected);
        }
        if (random() % 20 == 0) {
          ASSERT_TRUE(runtime->WaitOn(all[random() % all.size()].matrix.handle).ok());
        }
      }
    }
    ASSERT_EQ(values, expected);
  }
}

// A task that passes the value between the whole and its parts runs also where others are left out:
// else a part's new value was overwritten by the whole's old one.
TEST(PartsOfBlocks, ValuesStayWhereTasksAreLeftOutBetween) {
  const Kernel add = MakeAdd();
  for (const bool all : {false, true}) {
    const auto runtime = MakeRuntime(1);
    std::vector<int> values(4, 1);
    Block<int> whole(*runtime, "whole", values), gate(*runtime, "gate", 1, 1);
    const Parts<int> halves = DivideColumns(*runtime, whole, 2);
    lwt::Event open;
    const TypedKernel waits("waits", [&](View<int>, View<const int>) { open.Wait(); });
    const TypedKernel sets("sets", [](View<int> part) { part[0] = part[1] = 50; });
    // 4 each, on the device alone.
    ASSERT_TRUE(Add(*runtime, add, whole, 1, DevicePlace(0)).Wait().ok());
    Submit(*runtime, waits, out(gate), in(whole));
    const int more = 1;
    const Completion cancelled =
        runtime->Submit(add, {{whole.handle, Mode::kInOut}}, std::as_bytes(std::span(&more, 1)));
    Submit(*runtime, sets, out(halves[0]));
    const Completion other = runtime->Submit(add, {{halves[1].handle, Mode::kInOut}},
                                             std::as_bytes(std::span(&more, 1)));
    all ? runtime->Cancel() : cancelled.Cancel();
    open.Set();
    EXPECT_EQ(other.Wait().code(), absl::StatusCode::kCancelled);
    const absl::Status waited = runtime->Wait();
    EXPECT_EQ(waited.code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(waited.message().find("divide"), std::string::npos) << waited;
    EXPECT_EQ(values, all ? std::vector<int>(4, 4) : (std::vector<int>{50, 50, 4, 4}));
    Add(*runtime, add, halves[1], 0, DevicePlace(0));
    Add(*runtime, add, whole, 1, DevicePlace(0));
    ASSERT_TRUE(runtime->Wait().ok());
    EXPECT_EQ(values,
              all ? (std::vector<int>{13, 13, 37, 37}) : (std::vector<int>{151, 151, 37, 37}));
  }
}

TEST(PartsOfBlocks, AWaitForAPartBehindAReductionIsRefused) {
  const auto runtime = MakeRuntime(0);
  Block<int> whole(*runtime, "whole", 1, 4), a(*runtime, "a", 1, 1);
  const Parts<int> halves = DivideColumns(*runtime, whole, 2);
  const TypedKernel zero("zero", [](View<int> part) { part[0] = 0; });
  const TypedKernel combine("combine", [](View<int>, View<const int>) {});
  SetReduction(*runtime, whole, zero, combine);
  lwt::Event is_behind;
  absl::Status waited;
  const TypedKernel asks("asks", [&](View<int>) {
    is_behind.Wait();
    waited = runtime->WaitOn(halves[0].handle);
  });
  const Kernel adds = Kernel("adds").OnHost([](auto, auto) { return absl::OkStatus(); });
  Submit(*runtime, asks, inout(a));
  runtime->Submit(adds, {{a.handle, Mode::kIn}, {whole.handle, Mode::kReduction}});
  is_behind.Set();
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_TRUE(IsRefusedWait(waited)) << waited;
}

TEST(PartsOfBlocks, AGraphUsesTheWholeOrParts) {
  const auto runtime = MakeRuntime(1);
  std::vector<int> values(4, 1);
  Block<int> whole(*runtime, "whole", values);
  const Parts<int> halves = DivideColumns(*runtime, whole, 2);
  const Kernel add = MakeAdd();
  const int more = 1;
  Graph of_whole(*runtime), of_parts(*runtime);
  of_whole.Submit(add, {{whole.handle, Mode::kInOut}}, std::as_bytes(std::span(&more, 1)));
  for (std::size_t i : {0, 1}) {
    of_parts.Submit(add, {{halves[i].handle, Mode::kInOut}}, std::as_bytes(std::span(&more, 1)));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(of_whole.Run().ok());
    EXPECT_TRUE(of_parts.Run().ok());
  }
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(values, std::vector<int>(4, 1093));
}

TEST(PartsOfBlocksDeathTest, OneTaskDoesNotAccessAWholeAndItsParts) {
  const auto runtime = MakeRuntime(0);
  Block<int> whole(*runtime, "whole", 4, 4);
  const Parts<int> rows = DivideRows(*runtime, whole, 1);
  const Kernel add = MakeAdd();
  EXPECT_DEATH(runtime->Submit(add, {{whole.handle, Mode::kIn}, {rows[1].handle, Mode::kInOut}}),
               "a task accesses a block, or parts of one division of it, but whole and another");
  EXPECT_DEATH((void)runtime->Unregister(rows[1].handle), "a part ends with its block whole");
  EXPECT_EQ(runtime->Resize(whole.handle, runtime->TileOf(whole.handle)).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PartsOfBlocks, AWaitForTheWholeByATaskOfAPartIsRefused) {
  const auto runtime = MakeRuntime(0);
  Block<int> whole(*runtime, "whole", 4, 4);
  const Parts<int> rows = DivideRows(*runtime, whole, 1),
                   columns = DivideColumns(*runtime, whole, 1);
  std::vector<absl::Status> waits;
  const TypedKernel asks("asks", [&](View<int>) {
    for (const Matrix<int>& other : {Matrix<int>{whole}, columns[0], rows[1]}) {
      waits.push_back(runtime->WaitOn(other.handle));
    }
  });
  Submit(*runtime, asks, inout(rows[0]));
  ASSERT_TRUE(runtime->Wait().ok());
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_TRUE(IsRefusedWait(waits[0])) << waits[0];
  EXPECT_TRUE(IsRefusedWait(waits[1])) << waits[1];
  EXPECT_TRUE(waits[2].ok()) << waits[2];
}

}  // namespace
}  // namespace taskrt
