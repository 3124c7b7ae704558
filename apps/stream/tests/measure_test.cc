#include "apps/stream/measure.h"

#include "apps/stream/nontemporal.h"
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

TEST(MedianTest, TheMiddleOneOrTheMeanOfTheTwo) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7}), 7);
}

TEST(MedianRatioTest, RatiosAreTakenWithinARepetition) {
  // Medians would be 20 / 10 = 2; each repetition says 4, 2, 1.
  EXPECT_EQ(MedianRatio({40, 20, 10}, {10, 10, 10}), 2);
  // One disturbed repetition, in which both took ten times as long.
  EXPECT_EQ(MedianRatio({3, 30, 3}, {2, 20, 2}), 1.5);
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
    EXPECT_GT(measurement->rows[3].ratio_to_plain, 0);
    EXPECT_GT(measurement->rows[3].ratio_to_limit, 0);
    EXPECT_EQ(measurement->rows[0].ratio_to_limit, 0) << "Copy moves less than the limit";
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
