#include "apps/sdpa/files/parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sdpa {
namespace {

// As Debian's package has it.
const std::vector<std::string> kLines = {
    "100\tunsigned int maxIteration;",
    "1.0E-7\tdouble 0.0 < epsilonStar;",
    "1.0E2   double 0.0 < lambdaStar;",
    "2.0   \tdouble 1.0 < omegaStar;",
    "-1.0E5  double lowerBound;",
    "1.0E5   double upperBound;",
    "0.1     double 0.0 <= betaStar <  1.0;",
    "0.2     double 0.0 <= betaBar  <  1.0, betaStar <= betaBar;",
    "0.9     double 0.0 < gammaStar  <  1.0;",
    "1.0E-7\tdouble 0.0 < epsilonDash;",
    "%+8.3e     char*  xPrint   (default %+8.3e,   NOPRINT skips printout)",
    "%+8.3e     char*  XPrint   (default %+8.3e,   NOPRINT skips printout)",
    "NOPRINT    char*  YPrint   (default %+8.3e,   NOPRINT skips printout)",
    "%+10.16e   char*  infPrint (default %+10.16e, NOPRINT skips printout)"};

std::string Text(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += kLines[i] + "\n";
  return text;
}

// With that line as it should not be; lines count from 1.
std::string ErrorOf(std::size_t line, const std::string& changed) {
  std::string text = Text(line - 1) + changed + "\n";
  for (std::size_t i = line; i < kLines.size(); ++i) text += kLines[i] + "\n";
  const auto parameters = ParseParameters("p", text);
  EXPECT_FALSE(parameters.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(parameters.status()));
  return std::string(parameters.status().message());
}

TEST(Parameters, AreReadAsDebiansFileHasThem) {
  for (std::size_t lines = 10; lines <= kLines.size(); ++lines) {
    const auto parameters = ParseParameters("p", Text(lines));
    ASSERT_TRUE(parameters.ok()) << parameters.status();
    EXPECT_EQ(*parameters, Parameters());
  }
}

TEST(Parameters, AreEachTheirOwn) {
  const auto parameters =
      ParseParameters("p", "7\r\n\r\n+1e-3\n  3,\n4.5 9 9\n-6\n\n8\n0.25\n.5\n0.75\n1e-4");
  ASSERT_TRUE(parameters.ok()) << parameters.status();
  EXPECT_EQ(*parameters, (Parameters{.max_iteration = 7,
                                     .epsilon_star = 1e-3,
                                     .lambda_star = 3,
                                     .omega_star = 4.5,
                                     .lower_bound = -6,
                                     .upper_bound = 8,
                                     .beta_star = 0.25,
                                     .beta_bar = 0.5,
                                     .gamma_star = 0.75,
                                     .epsilon_dash = 1e-4}));
}

// As sdpa-gmp has them, and YALMIP writes them for it.
TEST(Parameters, MayNameTheBitsOfNumbersAndTheFormatsOfGmp) {
  const std::string numbers =
      "200 a\n1.0E-25 b\n1.0E6 c\n2.0 d\n-1.0E25 e\n1.0E25 f\n0.1 g\n0.2 h\n0.7 i\n1.0E-25 j\n";
  for (const std::string rest :
       {"", "200 precision;\n", "200 precision;\n%+.Fe x\n%+8.3Fe X\n", "%+.Fe x\nNOPRINT\n"}) {
    const auto parameters = ParseParameters("p", numbers + rest);
    ASSERT_TRUE(parameters.ok()) << parameters.status();
    EXPECT_EQ(parameters->epsilon_dash, 1e-25);
  }
  EXPECT_FALSE(ParseParameters("p", numbers + "200\n300\n").ok());
  EXPECT_FALSE(ParseParameters("p", numbers + "%+.FFe\n").ok());
}

TEST(Parameters, NameWhatIsWrongAndWhere) {
  EXPECT_EQ(ErrorOf(1, "0"), "p:1: found '0', expected maxIteration, a whole number above 0");
  EXPECT_EQ(ErrorOf(1, "1.5"), "p:1: found '1.5', expected maxIteration, a whole number above 0");
  EXPECT_EQ(ErrorOf(2, "0"), "p:2: found '0', expected epsilonStar, a number above 0");
  EXPECT_EQ(ErrorOf(2, "inf"), "p:2: found 'inf', expected epsilonStar, a number above 0");
  EXPECT_EQ(ErrorOf(3, "-1"), "p:3: found '-1', expected lambdaStar, a number above 0");
  EXPECT_EQ(ErrorOf(4, "1"), "p:4: found '1', expected omegaStar, a number above 1");
  EXPECT_EQ(ErrorOf(5, "x"), "p:5: found 'x', expected lowerBound, a number");
  EXPECT_EQ(ErrorOf(6, "-1e5"),
            "p:6: found '-1e5', expected upperBound, a number above lowerBound");
  EXPECT_EQ(ErrorOf(7, "1"), "p:7: found '1', expected betaStar, a number from 0 to below 1");
  EXPECT_EQ(ErrorOf(8, "0.05"),
            "p:8: found '0.05', expected betaBar, a number from betaStar to below 1");
  EXPECT_EQ(ErrorOf(9, "1.0"), "p:9: found '1.0', expected gammaStar, a number between 0 and 1");
  EXPECT_EQ(ErrorOf(10, "0.0"), "p:10: found '0.0', expected epsilonDash, a number above 0");
  const auto format = [](const std::string& text) {
    return "found '" + text + "', expected xPrint, a format of one number as %+8.3e, or NOPRINT";
  };
  for (const std::string text : {"%s", "%+8.3e%n", "8.3", "%", "%*e", "%8.3le"}) {
    EXPECT_EQ(ErrorOf(11, text), "p:11: " + format(text));
  }
  EXPECT_EQ(ErrorOf(14, "%e\n1"), "p:15: found '1', expected nothing after infPrint");
  EXPECT_EQ(ParseParameters("p", Text(3)).status().message(),
            "p:4: found the end, expected omegaStar, a number above 1");
}

}  // namespace
}  // namespace sdpa
