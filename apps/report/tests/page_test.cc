#include "apps/report/page.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageTest, TextCannotBecomeMarkup) {
  const std::string page = Page("<b>t</b>", "a & b", {{"id", "<script>", "", {{"<1>", "<2>"}}}});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;t&lt;/b&gt;"));
  EXPECT_THAT(page, HasSubstr("a &amp; b"));
  EXPECT_THAT(HtmlTable({{"<h>"}}, {{"\"<c>\""}}), Not(HasSubstr("<c>")));
  EXPECT_THAT(Reproduce("a <b>"), HasSubstr("a &lt;b&gt;"));
  EXPECT_THAT(Picture("<svg/>", "\"><b>"), Not(HasSubstr("<b>")));
}

TEST(PageTest, NothingComesFromElsewhere) {
  const std::string page = Page("t", "s", {{"a", "A", Picture("<svg/>", "d"), {}}});
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
}

TEST(PageTest, EverySectionIsReachedFromTheTop) {
  const std::string page = Page("t", "s", {{"one", "First", "", {}}, {"two", "Second", "", {}}});
  EXPECT_THAT(page, HasSubstr("<a href=\"#two\">Second</a>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"two\">"));
}

TEST(PageTest, ThreeHeadlinesStandOnTopEachSectionsFirstOnesFirst) {
  const std::string page =
      Page("t", "s",
           {{"a", "A", "", {{"1", "a first"}, {"2", "a second"}, {"3", "a third"}}},
            {"b", "B", "", {{"4", "b first"}}}});
  const std::string top = page.substr(0, page.find("<nav>"));
  EXPECT_LT(top.find("a first"), top.find("b first"));
  EXPECT_LT(top.find("b first"), top.find("a second"));
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

}  // namespace
}  // namespace report
