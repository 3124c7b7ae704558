#include "apps/stencil/run/simulated_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stencil {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<SimulatedRow> Rows() {
  SimulatedRow row = {.algorithm = "A1", .nodes = 2, .threads = 24, .page_bytes = 65536};
  row.updates = 8e9;
  row.virtual_seconds = 4;
  row.compute_seconds = 2;
  row.fault_seconds = 0.5;
  row.barrier_seconds = 1.5;
  SimulatedRow larger = row;
  larger.nodes = 128;
  larger.virtual_seconds = 8;
  return {row, larger};
}

TEST(SimulatedResults, ARowSaysThatItsTimeIsVirtual) {
  const program::Json json = ToJson(Rows().front());
  EXPECT_EQ(json["simulated"], true);
  EXPECT_EQ(json["virtual_seconds"], 4);
  EXPECT_FALSE(json.contains("seconds"));
  for (const char* key : {"algorithm", "points", "nodes", "threads", "updates_per_s",
                          "compute_seconds", "preload_seconds", "fault_seconds", "barrier_seconds",
                          "first_barrier_seconds", "faults", "pages_fetched"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(SimulatedResults, EverythingThatWasAssumedIsSaid) {
  const program::Json said = Assumptions(NodeModel());
  EXPECT_EQ(said.size(), 18u);
  EXPECT_EQ(said["assumed_link_gb_per_s"], 12.5);
  EXPECT_EQ(said["assumed_adds_per_ns"], 2.4);
}

TEST(SimulatedResults, TheTableAndThePlotsSayVirtual) {
  EXPECT_THAT(ToText(Rows(), program::Color::kOff),
              HasSubstr("A1              7      2       24         2.0      4.000    2.000"));
  EXPECT_THAT(TimeByNodesToSvg(Rows()), HasSubstr("virtual seconds"));
  EXPECT_THAT(SpeedByNodesToSvg(Rows()), HasSubstr("1 Gupdates/s"));
  const std::string split = SplitToSvg(Rows());
  EXPECT_THAT(split, HasSubstr("<title>A1, 2, faults: 0.5 s</title>"));
  EXPECT_THAT(split, HasSubstr("virtual seconds"));
  EXPECT_THAT(split, Not(HasSubstr(">seconds<")));
}

}  // namespace
}  // namespace stencil
