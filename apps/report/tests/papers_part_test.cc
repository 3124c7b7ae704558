// What tools/paper wrote, as sections of the report.
#include <cstdlib>
#include <fstream>
#include <string>

#include "apps/report/parts/parts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kData = "apps/report/tests/data/papers.json";

std::string FileOf(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/papers.json";
  std::ofstream(path) << text;
  return path;
}

TEST(PapersParts, APaperIsASectionThatCountsWhatAgrees) {
  const auto sections = PapersParts(kData);
  ASSERT_TRUE(sections.ok()) << sections.status();
  ASSERT_EQ(sections->size(), 1u);
  const Section& section = sections->front();
  EXPECT_THAT(section.title, HasSubstr("ULIBC"));
  ASSERT_EQ(section.headlines.size(), 1u);
  EXPECT_EQ(section.headlines[0].value, "1 of 3");
  EXPECT_THAT(section.headlines[0].meaning, HasSubstr("1 differ"));
}

TEST(PapersParts, WhatDiffersStandsWithBothValues) {
  const std::string html = PapersParts(kData)->front().html;
  EXPECT_THAT(html,
              HasSubstr("<td>compact+ over compact</td><td>1.47</td><td>1.1</td><td>1.4</td>"));
  EXPECT_THAT(html,
              HasSubstr("<td>scatter is the fastest</td><td>seen</td><td>not seen</td><td></td>"));
  EXPECT_THAT(html, HasSubstr("figure 8: nodes with less memory"));
  EXPECT_THAT(html, Not(HasSubstr("<td>threads</td>"))) << "it agrees";
  EXPECT_THAT(html, Not(HasSubstr("<td>scatter over compact</td>"))) << "it has no value";
}

TEST(PapersParts, KindsAreTablesOfTheirOwnAndACommandStandsOnce) {
  const std::string html = PapersParts(kData)->front().html;
  const std::size_t simulated = html.find("What is simulated"),
                    computed = html.find("What is computed"),
                    none = html.find("Without a command yet");
  ASSERT_NE(simulated, std::string::npos);
  EXPECT_LT(simulated, computed);
  EXPECT_LT(computed, none);
  const std::string command = "//topo/cli:topo -- map";
  EXPECT_EQ(html.find(command), html.rfind(command));
}

TEST(PapersParts, FiguresStandUnderTheirRowsNames) {
  const std::string html = PapersParts(kData)->front().html;
  EXPECT_THAT(html, HasSubstr("alt=\"figure 8: Bandwidth by policy\""));
  EXPECT_THAT(html, HasSubstr("//apps/stream -- --small"));
}

TEST(PapersParts, AnotherFileIsRefusedByName) {
  for (
      const std::string text :
      {"[]", "{}", R"({"papers": [{}]})", R"({"papers": [{"paper": "x", "rows": [1]}]})",
       R"({"papers": [{"paper": "x", "rows": [{"row": "1", "title": "", "verdict": "", "claims": [1], "commands": []}]}]})",
       R"({"papers": [{"paper": "x", "rows": [{"row": "1", "title": "", "verdict": "", "claims": [], "commands": [], "figures": [1]}]}]})",
       R"({"papers": [{"paper": "x", "rows": [{"row": "1", "title": "", "verdict": "", "claims": [], "commands": [], "cause": {}}]}]})"}) {
    const std::string path = FileOf(text);
    EXPECT_THAT(PapersParts(path).status().message(), HasSubstr(path + ": expected papers"))
        << text;
  }
  EXPECT_THAT(PapersParts("absent.json").status().message(), HasSubstr("absent.json"));
}

}  // namespace
}  // namespace report
