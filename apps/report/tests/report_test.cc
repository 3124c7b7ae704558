// The program as a user starts it.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/program/tests/run_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kData = "apps/report/tests/data/";

program::Outcome Report(std::vector<std::string> flags) {
  return program::RunProgram("apps/report/report", std::move(flags));
}

// Every tag that is opened is closed, in order; enough of XML for a page that
// is written as XML. Returns what is wrong, or nothing.
std::string FirstTagOutOfPlace(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag[0] == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name[0] != '/') {
      open.push_back(name);
      continue;
    }
    if (open.empty() || open.back() != name.substr(1)) return name;
    open.pop_back();
  }
  return open.empty() ? "" : open.back();
}

void ExpectRefused(const std::vector<std::string>& flags, const std::string& part) {
  const program::Outcome outcome = Report(flags);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, StartsWith("report: "));
  EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
}

TEST(ReportTest, APageHoldsTheMachineTheMappingAndEveryProgram) {
  const program::Outcome outcome = Report(
      {"--output=-", "--machine-svg=" + kData + "machine.svg",
       "--mapping=scatter=" + kData + "scatter.json", kData + "stream.json", kData + "simpath.json",
       kData + "sdpa.json", kData + "sdpa_simulated.json", kData + "matmul.json",
       kData + "stencil.json", kData + "stencil_simulated.json", kData + "cholesky_simulated.json",
       "--picture=" + kData + "cholesky_simulated.json=" + kData + "machine.svg",
       kData + "counter.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(FirstTagOutOfPlace(outcome.output), "");
  for (const char* part :
       {"id=\"machine\"", "measured 2026-11-21", "id=\"stream\"", "id=\"simpath\"", "id=\"sdpa\"",
        "id=\"matmul\"", "id=\"stencil\"", "id=\"cholesky\"",
        "timeline of bazel run -c opt //apps/cholesky", "id=\"app-counter\"",
        "Example &lt;CPU&gt; &amp; more", "0123456789ab", "575780564"}) {
    EXPECT_THAT(outcome.output, HasSubstr(part));
  }
  EXPECT_THAT(outcome.error, HasSubstr("60.2 GB/s  STREAM Triad"));
}

TEST(ReportTest, AMissingFileIsOneSentenceAndLeavesNoPage) {
  const std::string page = testing::TempDir() + "/page.html";
  std::filesystem::remove(page);
  ExpectRefused({"--output=" + page, kData + "none.json"}, "none.json: No such file");
  ExpectRefused({"--output=" + page, "--machine-svg=" + kData + "none.svg"}, "none.svg");
  ExpectRefused({"--output=" + page, "--mapping=scatter=" + kData + "none.json"}, "none.json");
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST(ReportTest, AMistakeIsOneSentence) {
  ExpectRefused({"--output=-"}, "nothing to report");
  ExpectRefused({"--mapping=scatter"}, "POLICY=FILE");
  ExpectRefused({"--picture=x.json=y.svg", kData + "stream.json"}, "RUN=FILE of one of the runs");
  ExpectRefused({"--picture=" + kData + "stream.json=none.svg", kData + "stream.json"}, "none.svg");
  ExpectRefused({"--output=/nonexistent/r.html", kData + "stream.json"}, "/nonexistent/r.html");
  ExpectRefused({"--output=-", kData + "scatter.json"}, "scatter.json: expected an object");
  ExpectRefused({"--frame"}, "--frame");
}

}  // namespace
