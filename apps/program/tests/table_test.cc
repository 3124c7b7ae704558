#include "apps/program/table.h"

#include "gtest/gtest.h"

namespace program {
namespace {

Table Example() {
  Table table({{"policy", Table::Align::kLeft}, {"GB/s"}});
  table.AddRow({"compact", "9.5"});
  table.AddRule();
  table.AddRow({"none", "110.0"});
  return table;
}

TEST(TableTest, WordsLineUpLeftAndNumbersRight) {
  EXPECT_EQ(Example().Render(Color::kOff),
            "policy    GB/s\n"
            "compact    9.5\n"
            "--------------\n"
            "none     110.0\n");
}

TEST(TableTest, ColorAddsNothingButEscapes) {
  std::string text = Example().Render(Color::kOn);
  EXPECT_NE(text.find("\033["), std::string::npos);
  for (std::size_t at; (at = text.find("\033[")) != std::string::npos;) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  EXPECT_EQ(text, Example().Render(Color::kOff));
}

TEST(TableTest, ALetterOfTwoBytesTakesOneColumn) {
  Table table({{"a"}, {"b"}});
  table.AddRow({"µs", "1"});
  EXPECT_EQ(table.Render(Color::kOff), " a  b\nµs  1\n");
}

TEST(TableTest, ARowMayEndEarly) {
  Table table({{"a", Table::Align::kLeft}, {"b"}});
  table.AddRow({"x"});
  EXPECT_EQ(table.Render(Color::kOff), "a  b\nx\n");
}

TEST(FixedTest, DigitsAfterThePointAreAsAsked) {
  EXPECT_EQ(Fixed(45.0, 1), "45.0");
  EXPECT_EQ(Fixed(0.956, 2), "0.96");
  EXPECT_EQ(Fixed(2.5, 0), "2");
}

}  // namespace
}  // namespace program
