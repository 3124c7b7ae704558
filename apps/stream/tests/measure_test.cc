#include "apps/stream/measure/measure.h"

#include "apps/stream/kernels/nontemporal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

using ::testing::HasSubstr;

Options Small() {
  Options options;
  options.elements = 50'001;
  options.repetitions = 4;
  return options;
}

absl::StatusOr<Measurement> MeasureSmall(const Options& options,
                                         std::vector<std::string>* lines = nullptr) {
  const topo::Topology machine = *topo::ThisMachine();
  const topo::Mapping mapping = *topo::Plan(machine, topo::Policy::kCompact, machine.allowed_pus());
  return Measure(machine, mapping, options, [&](const std::string& line) {
    if (lines != nullptr) lines->push_back(line);
  });
}

TEST(RowTest, BandwidthIsOfTheBestTime) {
  Row row;
  row.kernel = Kernel::kTriad;
  row.elements = 1'000'000;
  row.seconds = {0.004, 0.002, 0.003};
  EXPECT_DOUBLE_EQ(row.gb_per_s(), 12);
  EXPECT_DOUBLE_EQ(row.gb_per_s_moved(), 16);
  EXPECT_DOUBLE_EQ(row.seconds_median(), 0.003);
  row.store = Store::kNonTemporal;
  EXPECT_DOUBLE_EQ(row.gb_per_s_moved(), 12);
}

// Triad, 10^9 elements: 24 GB/s in a second.
Row TriadIn(Variant variant, std::vector<double> seconds) {
  Row row;
  row.variant = variant;
  row.elements = 1'000'000'000;
  row.seconds = std::move(seconds);
  return row;
}

TEST(MarkDisturbedTest, ARatioToTheLimitThatTheRowsFiguresDoNotGiveMarksItsRow) {
  std::vector<Row> rows = {TriadIn(Variant::kTuned, {1, 1, 1}),
                           TriadIn(Variant::kLimit, {1, 1, 1})};
  rows[0].ratio_to_limit = {0.9, 1.04, 1.1};
  MarkDisturbed(rows);
  EXPECT_FALSE(rows[0].is_disturbed);
  rows[0].ratio_to_limit = {2.9, 2.99, 3.1};
  MarkDisturbed(rows);
  EXPECT_TRUE(rows[0].is_disturbed);
  EXPECT_FALSE(rows[1].is_disturbed);
}

TEST(MarkDisturbedTest, RepetitionsThatAreFarApartMarkTheirRowOnly) {
  std::vector<Row> rows = {TriadIn(Variant::kTuned, {1, 1, 1, 1}),
                           TriadIn(Variant::kPlain, {1, 1, 2, 2})};
  MarkDisturbed(rows);
  EXPECT_FALSE(rows[0].is_disturbed);
  EXPECT_TRUE(rows[1].is_disturbed);
  EXPECT_LT(rows[1].gb_per_s_spread().q1, rows[1].gb_per_s_spread().q3);
  EXPECT_EQ(rows[1].gb_per_s_spread().q3, 24);
}

TEST(MeasureTest, EveryKernelIsThereTunedAndPlainAndTheLimitOnce) {
  for (const Runtime runtime : {Runtime::kOpenMp, Runtime::kTbb, Runtime::kStd}) {
    Options options = Small();
    options.runtime = runtime;
    const auto measurement = MeasureSmall(options);
    ASSERT_TRUE(measurement.ok()) << measurement.status();
    ASSERT_EQ(measurement->rows.size(), 9u);
    for (std::size_t i = 0; i < 9; ++i) {
      const Row& row = measurement->rows[i];
      EXPECT_EQ(row.variant, i < 4 ? Variant::kTuned : i < 8 ? Variant::kPlain : Variant::kLimit);
      EXPECT_EQ(row.kernel, i < 8 ? kKernels[i % 4] : Kernel::kTriad);
      EXPECT_EQ(row.policy, topo::Policy::kCompact);
      EXPECT_EQ(row.elements, 50'001);
      EXPECT_EQ(row.seconds.size(), 3u) << "the first of four warms up";
      EXPECT_GT(row.seconds_min(), 0);
    }
    EXPECT_GT(measurement->rows[3].ratio_to_plain.median, 0);
    EXPECT_GT(measurement->rows[3].ratio_to_limit.median, 0);
    EXPECT_EQ(measurement->rows[0].ratio_to_limit.median, 0) << "Copy moves less than the limit";
  }
}

TEST(MeasureTest, PlainRowsAreStreamsOwnWithAnyOptionsOfTheTunedOnes) {
  Options options = Small();
  options.where = Where::kSerial;
  const auto measurement = MeasureSmall(options);
  ASSERT_TRUE(measurement.ok()) << measurement.status();
  EXPECT_EQ(measurement->rows[0].where, Where::kSerial);
  EXPECT_EQ(measurement->rows[0].pages, Pages::kHuge);
  EXPECT_EQ(measurement->rows[4].where, Where::kFirstTouch);
  EXPECT_EQ(measurement->rows[4].pages, Pages::kSmall);
  EXPECT_EQ(measurement->rows[4].store, Store::kOrdinary);
}

TEST(MeasureTest, TheCodeIsOfTheKindThatWasChosen) {
  Options options = Small();
  options.choice = Choice::kPlain;
  const auto plain = MeasureSmall(options);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->rows[3].code, "plain");

  options.choice = Choice::kStream;
  const auto stream = MeasureSmall(options);
  if (NonTemporalCodes().empty()) {
    EXPECT_TRUE(absl::IsInvalidArgument(stream.status()));
  } else {
    EXPECT_EQ(stream->rows[3].store, Store::kNonTemporal);
  }
}

TEST(MeasureTest, PlacementIsReportedWhenAskedFor) {
  Options options = Small();
  options.verify_placement = Options::VerifyPlacement::kYes;
  const auto measurement = MeasureSmall(options);
  ASSERT_TRUE(measurement.ok()) << measurement.status();
  ASSERT_FALSE(measurement->notes.empty());
  EXPECT_THAT(measurement->notes[0], HasSubstr("compact, "));
}

TEST(MeasureTest, ProgressNamesEveryRepetition) {
  std::vector<std::string> lines;
  ASSERT_TRUE(MeasureSmall(Small(), &lines).ok());
  EXPECT_THAT(lines, testing::Contains(HasSubstr("repetition 1 of 4")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("repetition 4 of 4")));
}

}  // namespace
}  // namespace stream
