#include "apps/report/page/page.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageTest, TextCannotBecomeMarkup) {
  const std::string page =
      Page({"<b>t</b>", "<lead>", "a & b"}, {{"id", "<script>", "<see>", "", {{"<1>", "<2>"}}}});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;t&lt;/b&gt;"));
  EXPECT_THAT(page, HasSubstr("a &amp; b"));
  EXPECT_THAT(page, HasSubstr("&lt;lead&gt;"));
  EXPECT_THAT(page, HasSubstr("&lt;see&gt;"));
  EXPECT_THAT(HtmlTable({{"<h>"}}, {{"\"<c>\""}}), Not(HasSubstr("<c>")));
  EXPECT_THAT(Reproduce("a <b>"), HasSubstr("a &lt;b&gt;"));
  EXPECT_THAT(Picture("<svg/>", "\"><b>"), Not(HasSubstr("<b>")));
}

TEST(PageTest, NothingComesFromElsewhere) {
  const std::string page = Page({"t", "l", "s"}, {{"a", "A", "", Picture("<svg/>", "d"), {}}});
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
}

TEST(PageTest, EverySectionIsReachedFromTheTop) {
  const std::string page = Page(
      {"t", "l", "s"}, {{"one", "First", "what to see", "", {}}, {"two", "Second", "", "", {}}});
  EXPECT_THAT(page, HasSubstr("<a href=\"#one\">First</a><br/>what to see</li>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#two\">Second</a></li>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"two\">"));
}

TEST(PageTest, FourHeadlinesStandOnTopEachSectionsFirstOnesFirst) {
  const std::string page = Page(
      {"t", "l", "s"}, {{"a", "A", "", "", {{"1", "a first"}, {"2", "a second"}, {"3", "a third"}}},
                        {"b", "B", "", "", {{"4", "b first"}, {"5", "b second"}}}});
  const std::string top = page.substr(0, page.find("<nav>"));
  EXPECT_LT(top.find("a first"), top.find("b first"));
  EXPECT_LT(top.find("b first"), top.find("a second"));
  EXPECT_LT(top.find("a second"), top.find("b second"));
  EXPECT_THAT(top, Not(HasSubstr("a third")));
  EXPECT_THAT(page, HasSubstr("a third"));
}

TEST(PictureTest, BytesAreBase64) {
  EXPECT_THAT(Picture("M", "d"), HasSubstr("base64,TQ=="));
  EXPECT_THAT(Picture("Ma", "d"), HasSubstr("base64,TWE="));
  EXPECT_THAT(Picture("Man", "d"), HasSubstr("base64,TWFu\""));
  EXPECT_THAT(Picture("\xff\xfe\xfd\x00", "d"), HasSubstr("base64,//79\""));
}

TEST(HtmlTableTest, NumbersAreMarkedToStandRight) {
  const std::string table = HtmlTable({{"name", HtmlColumn::Kind::kWord}, {"GB/s"}}, {{"x", "1"}});
  EXPECT_THAT(table, HasSubstr("<th>name</th><th class=\"n\">GB/s</th>"));
  EXPECT_THAT(table, HasSubstr("<td>x</td><td class=\"n\">1</td>"));
}

TEST(HtmlTableTest, ALongTableIsFolded) {
  std::vector<std::vector<std::string>> rows(10, {"1"});
  EXPECT_THAT(HtmlTable({{"a"}}, rows), Not(HasSubstr("<details>")));
  rows.push_back({"1"});
  EXPECT_THAT(HtmlTable({{"a"}}, rows), HasSubstr("<details><summary>Table of 11 rows</summary>"));
}

TEST(ReproduceTest, SeveralCommandsAreFolded) {
  EXPECT_THAT(Reproduce("bazel run"), Not(HasSubstr("<details>")));
  EXPECT_THAT(Reproduce("bazel run\nbazel run"),
              HasSubstr("<summary>Reproduce: 2 commands</summary>"));
}

}  // namespace
}  // namespace report
