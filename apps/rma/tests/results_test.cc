#include "apps/rma/run/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "apps/rma/run/collective_results.h"

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

TEST(ResultsTest, ARowOfMixedSaysWhereTheOtherRankIs) {
  Row row = RowOf(Network::kMixed, 1, kNine);
  row.point.way = Way::kBeyond;
  EXPECT_EQ(ToJson(row)["way"], "beyond");
  EXPECT_EQ(SeriesOf(row.point), "mixed, offload, 8 B, beyond");
  EXPECT_THAT(ToText({row}, 2, program::Color::kOff), HasSubstr("mixed, beyond"));
  EXPECT_FALSE(ToJson(RowOf(Network::kOfi, 1, kNine)).contains("way"));
}

TEST(ResultsTest, ACollectiveRowHasItsRanksAndItsBandwidth) {
  const CollectiveRow row = {{Network::kMixed, Collective::kAllreduce, 4096}, 4, {kNine}};
  const program::Json json = ToJson(row);
  EXPECT_EQ(json["conduit"], "mixed");
  EXPECT_EQ(json["collective"], "allreduce");
  EXPECT_EQ(json["ranks"], 4);
  EXPECT_EQ(json["bytes"], 4096);
  EXPECT_EQ(json["latency_ns"], 1040);
  EXPECT_EQ(json["latency_ns_low"], 1010);
  EXPECT_EQ(json["bytes_per_s"], 3938461538);
  EXPECT_EQ(json["disturbed"], false);
  EXPECT_FALSE(json.contains("offload"));
  EXPECT_FALSE(ToJson(CollectiveRow{{Network::kSmp, Collective::kBarrier, 0}, 2, {kNine}})
                   .contains("bytes_per_s"));
}

TEST(ResultsTest, CollectivesHaveATableAndAPlotWithoutBarriers) {
  EXPECT_EQ(ToText(std::vector<CollectiveRow>(), program::Color::kOff), "");
  const std::vector<CollectiveRow> rows = {
      {{Network::kSmp, Collective::kBarrier, 0}, 2, {kNine}},
      {{Network::kSmp, Collective::kBroadcast, 8}, 2, {kNine}},
      {{Network::kSmp, Collective::kBroadcast, 64}, 2, {kNine}}};
  const std::string text = ToText(rows, program::Color::kOff);
  EXPECT_THAT(text, HasSubstr("barrier"));
  EXPECT_THAT(text, HasSubstr("1.040 (1.010 – 1.070)"));
  const std::string svg = ToSvg(rows);
  EXPECT_THAT(svg, HasSubstr("smp, broadcast"));
  EXPECT_THAT(svg, Not(HasSubstr("smp, barrier")));
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
