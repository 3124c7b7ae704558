#include "apps/matmul/problem/matrices.h"

#include "apps/matmul/problem/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace matmul {
namespace {

using ::testing::HasSubstr;

// Adds up in the order of the definition.
void ByDefinition(const sgemm::Block& block) {
  for (int i = 0; i < block.m; ++i) {
    for (int j = 0; j < block.n; ++j) {
      float sum = 0;
      for (int p = 0; p < block.p; ++p)
        sum += block.a[i * block.ld + p] * block.b[p * block.ld + j];
      block.c[i * block.ld + j] = sum;
    }
  }
}

TEST(MatricesTest, TheProductByItsDefinitionIsTheReferencesBitForBit) {
  Matrices matrices(96, 1);
  ByDefinition(matrices.Whole());
  EXPECT_TRUE(matrices.Check(matrices.Whole(), "all").ok());
}

TEST(MatricesTest, APartIsCheckedAgainstItsOwnProduct) {
  Matrices matrices(128, 1);
  const sgemm::Block part = matrices.PartOfOne(3);
  ByDefinition(part);
  EXPECT_TRUE(matrices.Check(part, "part").ok());
  EXPECT_FALSE(matrices.Check(matrices.Whole(), "all").ok());
}

TEST(MatricesTest, AWrongNumberIsReportedWithItsPlace) {
  Matrices matrices(64, 1);
  ByDefinition(matrices.Whole());
  matrices.Whole().c[5 * 64 + 7] += 1;
  const absl::Status status = matrices.Check(matrices.Whole(), "cutoff");
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("wrong answer of cutoff: C(5, 7) is "));
}

TEST(MatricesTest, AnElementThatWasNotWrittenIsWrong) {
  Matrices matrices(64, 1);
  ByDefinition(matrices.Whole());
  matrices.Forget();
  EXPECT_FALSE(matrices.Check(matrices.Whole(), "nothing").ok());
}

TEST(MatricesTest, WithThePapersSizeOneOf32WorkersGetsAnEighthOfTheRowsAndAQuarterOfTheColumns) {
  Matrices matrices(768, 1);
  const sgemm::Block part = matrices.PartOfOne(5);
  EXPECT_EQ(part.m, 96);
  EXPECT_EQ(part.n, 192);
  EXPECT_EQ(part.p, 192) << "two halvings of the inner extent came before";
}

TEST(MatricesTest, APartIsNeverSmallerThanALeaf) {
  Matrices matrices(64, 1);
  const sgemm::Block part = matrices.PartOfOne(10);
  EXPECT_EQ(part.m, 32);
  EXPECT_EQ(part.n, 32);
  EXPECT_EQ(part.p, 32);
}

TEST(MatricesTest, AnotherSeedIsAnotherProduct) {
  Matrices one(32, 1), other(32, 2);
  ByDefinition(one.Whole());
  ByDefinition(other.Whole());
  EXPECT_NE(std::vector<float>(one.Whole().c, one.Whole().c + 32 * 32),
            std::vector<float>(other.Whole().c, other.Whole().c + 32 * 32));
}

}  // namespace
}  // namespace matmul
