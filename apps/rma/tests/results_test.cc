#include "apps/rma/run/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rma {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Row RowOf(Network network, int threads, std::initializer_list<double> latencies) {
  Row row{{network, Offload::kOffload, threads, 8}, {}};
  for (const double latency : latencies)
    row.samples.push_back({latency, latency / 10, 1e9 / latency});
  return row;
}
const std::initializer_list<double> kNine = {1000, 1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080};

TEST(ResultsTest, ARealRowHasItsConduitAndConfidence) {
  const program::Json json = ToJson(RowOf(Network::kOfi, 2, kNine));
  EXPECT_EQ(json["conduit"], "ofi");
  EXPECT_EQ(json["offload"], "offload");
  EXPECT_EQ(json["latency_ns"], 1040);
  EXPECT_EQ(json["latency_ns_low"], 1010);
  EXPECT_EQ(json["latency_ns_high"], 1070);
  EXPECT_EQ(json["overhead_ns"], 104);
  EXPECT_EQ(json["repetitions"], 9);
  EXPECT_EQ(json["disturbed"], false);
  EXPECT_FALSE(json.contains("simulated"));
}

TEST(ResultsTest, FewRepetitionsHaveNoConfidence) {
  EXPECT_FALSE(ToJson(RowOf(Network::kOfi, 1, {1000, 1100})).contains("latency_ns_low"));
}

TEST(ResultsTest, RepetitionsFarApartAreDisturbed) {
  EXPECT_EQ(ToJson(RowOf(Network::kOfi, 1, {100, 200, 300, 400}))["disturbed"], true);
}

TEST(ResultsTest, ASimulatedRowHasVirtualSecondsOnly) {
  const program::Json json = ToJson(RowOf(Network::kTofu, 1, {2800}));
  EXPECT_EQ(json["network"], "tofu");
  EXPECT_EQ(json["simulated"], true);
  EXPECT_TRUE(json.contains("virtual_seconds"));
  for (const char* key : {"conduit", "seconds", "disturbed", "latency_ns_low"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
}

TEST(ResultsTest, TheTextSaysWhereThreadsTakeTurns) {
  const auto text = [](Network network, int threads) {
    return ToText({RowOf(network, threads, {1000})}, 2, program::Color::kOff);
  };
  EXPECT_THAT(text(Network::kOfi, 4), HasSubstr("Rows of more than 2 threads"));
  EXPECT_THAT(text(Network::kOfi, 2), Not(HasSubstr("Rows of more than")));
  EXPECT_THAT(text(Network::kTofu, 4), Not(HasSubstr("Rows of more than")));
}

TEST(ResultsTest, ThePlotHasALineForEachSeriesAndSaysWhatIsSimulated) {
  const std::vector<Row> rows = {RowOf(Network::kTofu, 1, {2800}),
                                 RowOf(Network::kTofu, 2, {2900})};
  const std::string svg = ToSvg(rows, Figure::kRate);
  EXPECT_THAT(svg, HasSubstr("Message rate of reads, simulated"));
  EXPECT_THAT(svg, HasSubstr("tofu, offload, 8 B"));
  const std::string measured = ToSvg({RowOf(Network::kOfi, 1, kNine)}, Figure::kLatency);
  EXPECT_THAT(measured, Not(HasSubstr("simulated")));
  EXPECT_THAT(measured, HasSubstr("Whiskers: 95 % confidence"));
}

}  // namespace
}  // namespace rma
