// A job of one rank, which reads its own memory.
#include "apps/rma/ranks/measure.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "apps/rma/ranks/path.h"
#include "llcl/launch/launch.h"

namespace rma {
namespace {

constexpr auto kShort = std::chrono::milliseconds(1);

std::unique_ptr<Path> OpenPath(Offload offload, int threads, std::uint64_t bytes) {
  const auto launch = llcl::MakeSingleton();
  auto path = Path::Open(
      *launch, {.network = Network::kSmp, .offload = offload, .threads = threads, .bytes = bytes});
  EXPECT_TRUE(path.ok()) << path.status();
  return *std::move(path);
}

TEST(MeasureTest, ReadsAreRightOnlyWhereTheyBroughtTheBytesThatAreThere) {
  const auto path = OpenPath(Offload::kInPlace, 2, 100);
  path->Clear();
  EXPECT_FALSE(path->IsRight(0, 1, 100));
  EXPECT_TRUE(path->IsRight(0, 0, 100));
  const auto sample = Measure(*path, {Network::kSmp, Offload::kInPlace, 2, 100}, kShort);
  ASSERT_TRUE(sample.ok()) << sample.status();
  for (const int thread : {0, 1}) EXPECT_TRUE(path->IsRight(thread, 1, 100));
  // A read of one thread is no read of another.
  path->Here(1, 0).data()[99] ^= std::byte{1};
  EXPECT_TRUE(path->IsRight(0, 1, 100));
  EXPECT_FALSE(path->IsRight(1, 1, 100));
  EXPECT_TRUE(path->IsRight(1, 1, 99));
}

TEST(MeasureTest, ARequestIsAPartOfItsLatency) {
  for (const Offload offload : {Offload::kInPlace, Offload::kHybrid}) {
    const auto path = OpenPath(offload, 3, 8);
    const auto sample = Measure(*path, {Network::kSmp, offload, 3, 8}, kShort);
    ASSERT_TRUE(sample.ok()) << sample.status();
    EXPECT_GT(sample->overhead_ns, 0);
    EXPECT_GE(sample->latency_ns, sample->overhead_ns);
  }
}

TEST(MeasureTest, PointsTakeTurnsInEachRepetition) {
  std::vector<std::unique_ptr<Path>> paths;
  paths.push_back(OpenPath(Offload::kInPlace, 2, 16));
  const std::vector<Point> points = {{Network::kSmp, Offload::kInPlace, 1, 8},
                                     {Network::kSmp, Offload::kInPlace, 2, 16}};
  std::vector<std::string> shown;
  const auto rows =
      Sweep(paths, points, 3, kShort, [&](const std::string& line) { shown.push_back(line); });
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ((*rows)[i].point, points[i]);
    EXPECT_EQ((*rows)[i].samples.size(), 3u);
  }
  ASSERT_EQ(shown.size(), 6u);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    EXPECT_EQ(shown[i].find(i % 2 == 0 ? "8 B" : "16 B") != std::string::npos, true) << shown[i];
  }
}

TEST(MeasureTest, APointWithoutAPathIsRefused) {
  EXPECT_FALSE(Sweep({}, {Point()}, 1, kShort, [](const std::string&) {}).ok());
}

}  // namespace
}  // namespace rma
