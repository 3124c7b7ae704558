#include "apps/stream/arrays/size.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kGigabyte = 1'000'000'000;

std::vector<Room> With(std::uint64_t bytes) { return {{bytes, 1, ""}}; }

TEST(ChooseSizeTest, ThePapersSizeIsTakenWhereItFits) {
  const auto size = ChooseSize(std::nullopt, With(100 * kGigabyte), 2);
  EXPECT_EQ(size->elements, kPaperElements);
  EXPECT_EQ(size->note, "");
}

TEST(ChooseSizeTest, WhereMemoryIsShortTheArraysAreSmallerAndALineSaysSo) {
  const auto size = ChooseSize(std::nullopt, With(4 * kGigabyte), 2);
  EXPECT_EQ(size->elements, std::int64_t{1} << 25);  // 56 bytes each: 1.9 of 3.2 GB
  EXPECT_THAT(size->note, HasSubstr("33554432 elements instead of 2^27"));
  EXPECT_THAT(size->note, HasSubstr("4.0 GB are available"));
}

TEST(ChooseSizeTest, ASizeThatTheUserGaveIsRefusedAndNotMadeSmaller) {
  EXPECT_EQ(ChooseSize(1000, With(kGigabyte), 2)->elements, 1000);
  const auto refused = ChooseSize(kPaperElements, With(4 * kGigabyte), 2);
  EXPECT_TRUE(absl::IsResourceExhausted(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("needs 7.5 GB"));
}

TEST(ChooseSizeTest, WithoutANumberOfAvailableBytesTheUserIsBelieved) {
  EXPECT_EQ(ChooseSize(std::nullopt, {}, 2)->elements, kPaperElements);
}

TEST(ChooseSizeTest, SizesThatMakeNoSenseAreRefused) {
  for (const std::int64_t elements :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, INT64_MAX, INT64_MIN}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ChooseSize(elements, With(100 * kGigabyte), 4).status()))
        << elements;
  }
  EXPECT_EQ(ChooseSize(4, With(100 * kGigabyte), 4)->elements, 4);
}

TEST(ChooseSizeTest, TheTightestRoomDecidesByWhatLiesThere) {
  const std::vector<Room> rooms = {{100 * kGigabyte, 1, ""},
                                   {10 * kGigabyte, 0.75, " on NUMA node 0"},
                                   {8 * kGigabyte, 0.25, " on NUMA node 1"}};
  EXPECT_EQ(ChooseSize(std::nullopt, rooms, 4)->elements, kPaperElements);  // 5.6 of 8 GB
  const auto refused = ChooseSize(2 * kPaperElements, rooms, 4);
  EXPECT_TRUE(absl::IsResourceExhausted(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("needs 11.3 GB, and four fifths of the available 10.0 GB on NUMA node 0"));
}

// The paper's machine with 5.3 MB available on each node.
class RoomsTest : public testing::Test {
 protected:
  RoomsTest() {
    std::filesystem::remove_all(root_);
    Write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    8000000 kB\n");
    for (const int node : {0, 1, 2, 3}) {
      const std::string name = "Node " + std::to_string(node) + " ";
      Write("sys/devices/system/node/node" + std::to_string(node) + "/meminfo",
            name + "MemTotal: 9000 kB\n" + name + "MemFree:   5000 kB\n" + name +
                "Active(file): 200 kB\n" + name + "Inactive(file): 100 kB\n");
    }
  }
  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::vector<Room> RoomsFor(topo::Policy policy, int threads, Where where) const {
    return Rooms(paper_, std::vector{*topo::Plan(paper_, policy, threads)}, where, root_);
  }
  const topo::Topology paper_ =
      *topo::FromSynthetic("pack:4 [numa] core:8 pu:2(indexes=core:pack)");
  const std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / "rooms";
};

TEST_F(RoomsTest, ThreadsOfOneNodePutAllArraysThere) {
  const std::vector<Room> rooms = RoomsFor(topo::Policy::kCompact, 16, Where::kLocal);
  ASSERT_EQ(rooms.size(), 2u);
  EXPECT_EQ(rooms[0].available_bytes, 8'000'000ull * 1024);
  EXPECT_EQ(rooms[1].available_bytes, 5300ull * 1024);
  EXPECT_DOUBLE_EQ(rooms[1].share, 1);
  EXPECT_EQ(rooms[1].where, " on NUMA node 0");
}

TEST_F(RoomsTest, ThreadsOfAllNodesSpreadThem) {
  const std::vector<Room> rooms = RoomsFor(topo::Policy::kScatter, 64, Where::kLocal);
  ASSERT_EQ(rooms.size(), 5u);
  for (std::size_t i = 1; i < rooms.size(); ++i) EXPECT_DOUBLE_EQ(rooms[i].share, 0.25);
}

TEST_F(RoomsTest, ArraysThatAreNotBoundMayLieAnywhere) {
  EXPECT_EQ(RoomsFor(topo::Policy::kCompact, 16, Where::kFirstTouch).size(), 1u);
  EXPECT_EQ(RoomsFor(topo::Policy::kNone, 16, Where::kLocal).size(), 1u);
}

TEST(ChooseSizeTest, WithoutAnyMemoryThereIsNoSize) {
  EXPECT_FALSE(ChooseSize(std::nullopt, With(0), 1).ok());
}

}  // namespace
}  // namespace stream
