#include "apps/program/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace program {
namespace {

using testing::ElementsAre;

enum class Size { kSmall, kLarge, kHuge };

constexpr Words<Size> kSizes = {
    {Size::kSmall, "small"}, {Size::kLarge, "large"}, {Size::kHuge, "huge"}};
static_assert(kSizes.Print(Size::kHuge) == "huge");
// As of a number that a C program passes.
static_assert(kSizes.Print(static_cast<Size>(7)).empty());

TEST(WordsTest, AWordThatIsPrintedIsParsed) {
  for (const Size size : {Size::kSmall, Size::kLarge, Size::kHuge}) {
    EXPECT_EQ(*kSizes.Parse("--size", kSizes.Print(size)), size);
  }
}

TEST(WordsTest, TheSentenceAboutAWrongWordListsAll) {
  EXPECT_EQ(kSizes.Parse("--size", "tiny").status(),
            absl::InvalidArgumentError("--size is 'tiny': it is small, large or huge"));
  EXPECT_FALSE(kSizes.Parse("--size", "").ok());
}

TEST(WordsTest, ListsHaveAnOrBeforeTheLastWord) {
  EXPECT_EQ((Words<Size>{{Size::kSmall, "small"}}.List()), "small");
  EXPECT_EQ((Words<Size>{{Size::kSmall, "small"}, {Size::kHuge, "huge"}}.List()), "small or huge");
  EXPECT_THAT(kSizes.Texts(), ElementsAre("small", "large", "huge"));
}

}  // namespace
}  // namespace program
