#include "apps/stream/kernels/validate.h"

#include <limits>
#include <vector>

#include "apps/stream/kernels/plain.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSize = 1000;
constexpr int kRounds = 10;

// Three arrays, kRounds rounds, Triad by `triad`; the verdicts on a, b, c.
std::vector<absl::Status> VerdictsWith(Sweep triad) {
  std::vector<double> a(kSize, kFirstA), b(kSize, kFirstB), c(kSize, kFirstC);
  const Part part = {a.data(), b.data(), c.data(), nullptr, kSize};
  for (int i = 0; i < kRounds; ++i) {
    PlainCode()[Kernel::kCopy](part);
    PlainCode()[Kernel::kScale](part);
    PlainCode()[Kernel::kAdd](part);
    triad(part);
  }
  const Expected expected = ExpectedAfter(kRounds);
  return {Judge("a", expected.a, Compare(a.data(), kSize, expected.a)),
          Judge("b", expected.b, Compare(b.data(), kSize, expected.b)),
          Judge("c", expected.c, Compare(c.data(), kSize, expected.c))};
}

TEST(ValidateTest, RightKernelsPass) {
  for (const absl::Status& verdict : VerdictsWith(PlainCode()[Kernel::kTriad])) {
    EXPECT_TRUE(verdict.ok()) << verdict;
  }
}

TEST(ValidateTest, AKernelThatForgetsTheLastElementIsCaughtAndNamed) {
  const std::vector<absl::Status> verdicts = VerdictsWith([](const Part& part) {
    Part short_part = part;
    --short_part.size;
    PlainCode()[Kernel::kTriad](short_part);
  });
  EXPECT_TRUE(absl::IsDataLoss(verdicts[0]));
  EXPECT_THAT(std::string(verdicts[0].message()), HasSubstr("array a should be"));
  EXPECT_THAT(std::string(verdicts[0].message()), HasSubstr("1 of 1000 elements"));
}

TEST(ValidateTest, AKernelWithAWrongScalarIsCaught) {
  const std::vector<absl::Status> verdicts = VerdictsWith([](const Part& part) {
    for (std::int64_t i = 0; i < part.size; ++i) part.a[i] = part.b[i] + 3.0000001 * part.c[i];
  });
  for (const absl::Status& verdict : verdicts) EXPECT_TRUE(absl::IsDataLoss(verdict)) << verdict;
}

TEST(ValidateTest, AWrongElementAmongMillionsIsCaught) {
  std::vector<double> values(5'000'000, 4.0);
  values[1'234'567] = 4.00001;
  const Errors errors = Compare(values.data(), 5'000'000, 4.0);
  EXPECT_EQ(errors.wrong, 1);
  EXPECT_EQ(errors.first_wrong, 4.00001);
  EXPECT_FALSE(Judge("a", 4.0, errors).ok());
}

TEST(ValidateTest, NotANumberIsWrong) {
  std::vector<double> values(10, 4.0);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Judge("a", 4.0, Compare(values.data(), 10, 4.0)).ok());
}

TEST(ValidateTest, RoundingIsNotWrong) {
  const std::vector<double> values(10, 4.0 * (1 + 2e-16));
  EXPECT_TRUE(Judge("a", 4.0, Compare(values.data(), 10, 4.0)).ok());
}

TEST(ValidateTest, ErrorsOfPartsAddUpAndKeepTheFirst) {
  const std::vector<double> right(4, 1.0), wrong(4, 2.0), worse(4, 3.0);
  Errors errors = Compare(right.data(), 4, 1.0);
  errors += Compare(wrong.data(), 4, 1.0);
  errors += Compare(worse.data(), 4, 1.0);
  EXPECT_EQ(errors.elements, 12);
  EXPECT_EQ(errors.wrong, 8);
  EXPECT_EQ(errors.first_wrong, 2.0);
  EXPECT_EQ(errors.sum, 12);
}

TEST(ValidateTest, ValuesStayNumbersForAsManyRepetitionsAsAreAllowed) {
  const Expected last = ExpectedAfter(kMostRepetitions);
  EXPECT_LT(last.a, std::numeric_limits<double>::max());
  EXPECT_LT(last.sink, std::numeric_limits<double>::max());  // false for what is no number
}

TEST(ValidateTest, TenRoundsOfStreamMultiplyByFifteenEach) {
  EXPECT_EQ(ExpectedAfter(0).a, 2);
  EXPECT_EQ(ExpectedAfter(1).a, 30);
  EXPECT_EQ(ExpectedAfter(1).b, 6);
  EXPECT_EQ(ExpectedAfter(1).c, 8);
  EXPECT_EQ(ExpectedAfter(2).a, 450);
}

}  // namespace
}  // namespace stream
