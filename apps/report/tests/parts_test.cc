#include "apps/report/parts/parts.h"

#include <functional>
#include <utility>

#include "apps/program/table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Data(const std::string& name) { return "apps/report/tests/data/" + name; }

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(StreamPartTest, EveryRowOfTheFileIsInTheSection) {
  const auto run = ReadRun(Data("stream.json"));
  ASSERT_TRUE(run.ok()) << run.status();
  const auto section = StreamPart({*run});
  ASSERT_TRUE(section.ok()) << section.status();
  for (const Json& row : run->results) {
    EXPECT_THAT(section->html,
                HasSubstr("<td class=\"n\">" + program::Fixed(NumberOf(row, "gb_per_s_moved"), 1) +
                          "</td>"));
  }
  EXPECT_EQ(
      Count(section->html, "<tr><td>none</td>") + Count(section->html, "<tr><td>scatter</td>"),
      static_cast<int>(run->results.size()));
}

TEST(StreamPartTest, Figure8HasALinePerPolicyAndTheCommandStandsBelow) {
  const auto section = StreamPart({*ReadRun(Data("stream.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_EQ(Count(section->html, "<polyline "), 4);  // none, scatter, plain, limit
  EXPECT_THAT(section->html, HasSubstr("<tr><td class=\"n\">2</td><td class=\"n\">60.2</td>"
                                       "<td class=\"n\">60.2 †</td><td class=\"n\">40.2</td>"
                                       "<td class=\"n\">62.2</td></tr>"));
  EXPECT_THAT(section->html,
              HasSubstr("bazel run -c opt //apps/stream -- --policy=none,scatter --threads=1,2"));
}

TEST(StreamPartTest, TheHeadlinesAreOfTheFastestTriad) {
  const auto section = StreamPart({*ReadRun(Data("stream.json"))});
  ASSERT_EQ(section->headlines.size(), 3u);
  EXPECT_EQ(section->headlines[0].value, "60.2 GB/s");
  EXPECT_THAT(section->headlines[0].meaning, HasSubstr("2 threads"));
  EXPECT_EQ(section->headlines[1].value, "1.50 ×");
  EXPECT_EQ(section->headlines[2].value, "0.97 ×");
}

TEST(StreamPartTest, AHeadlineIsOfADisturbedRowOnlyWhereThereIsNoOtherAndSaysSo) {
  auto run = *ReadRun(Data("stream.json"));
  for (Json& row : run.results) {
    if (TextOf(row, "policy") == "scatter" && TextOf(row, "threads") == "2") row["gb_per_s"] = 99.5;
  }
  EXPECT_EQ(StreamPart({run})->headlines[0].value, "60.2 GB/s") << "99.5 is disturbed";
  for (Json& row : run.results) row["disturbed"] = true;
  const auto section = StreamPart({run});
  EXPECT_EQ(section->headlines[0].value, "99.5 † GB/s");
  EXPECT_THAT(section->headlines[0].spread, HasSubstr("† disturbed by other work"));
}

TEST(StreamPartTest, ADisturbedRatioHasADaggerAndItsQuartiles) {
  const auto section = StreamPart({*ReadRun(Data("stream.json"))});
  EXPECT_THAT(section->html,
              HasSubstr("<td class=\"n\">2.99 †</td><td class=\"n\">1.10 – 3.20</td>"));
  EXPECT_THAT(section->html, HasSubstr("† disturbed by other work"));
  EXPECT_EQ(Count(section->html, "class=\"vp-hollow"), 1);
}

TEST(BfsPartTest, EachSearchHasALineAndEachRowItsFigures) {
  const auto section = BfsPart({*ReadRun(Data("bfs.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_EQ(Count(section->html, "<polyline "), 3) << "fast in both labels, and plain";
  EXPECT_EQ(Count(section->html, "<tr><td>scale 20</td>"), 6);
  EXPECT_THAT(section->html, HasSubstr("<td class=\"n\">1.250</td>"
                                       "<td class=\"n\">1.125 – 1.750</td>"));
  EXPECT_THAT(section->html, HasSubstr("//apps/bfs -- --scale=20"));
}

TEST(BfsPartTest, TheHeadlinesAreOfTheFastestSearchThatGraph500Counts) {
  const auto section = BfsPart({*ReadRun(Data("bfs.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  ASSERT_EQ(section->headlines.size(), 2u);
  EXPECT_EQ(section->headlines[0].value, "12.75 GTEPS") << "not that of internal labels";
  EXPECT_THAT(section->headlines[0].meaning, HasSubstr("scale 20: scatter, 2 threads"));
  EXPECT_EQ(section->headlines[1].value, "12.0 ×");
}

TEST(BfsPartTest, AFileWithoutRowsIsRefused) {
  auto run = *ReadRun(Data("bfs.json"));
  run.results.clear();
  EXPECT_TRUE(absl::IsInvalidArgument(BfsPart({run}).status()));
}

Run WithRows(Run run, const std::function<bool(const Json&)>& is_kept) {
  Json rows = Json::array();
  for (const Json& row : run.results) {
    if (is_kept(row)) rows.push_back(row);
  }
  run.results = std::move(rows);
  return run;
}

TEST(SimpathPartTest, Figures12And13HaveALineAPolicyAndTheTableEveryRow) {
  const auto run = *ReadRun(Data("simpath.json"));
  const auto section = SimpathPart({run});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_THAT(section->html, HasSubstr("grid 10x10 (the paper&#39;s figure 12)"));
  EXPECT_THAT(section->html, HasSubstr("2 threads (the paper&#39;s figure 13)"));
  EXPECT_EQ(Count(section->html, "<polyline "), 6) << "none, scatter and compact in both";
  EXPECT_EQ(Count(section->html, "<tr><td>grid 9x9</td>"), 13);
  EXPECT_EQ(Count(section->html, "<tr><td>grid 10x10</td>"), 13);
  for (const Json& row : run.results) {
    EXPECT_THAT(section->html,
                HasSubstr("<td class=\"n\">" + TextOf(row, "threads") + "</td><td class=\"n\">" +
                          program::Fixed(NumberOf(row, "seconds"), 3) + "</td>"));
  }
  EXPECT_THAT(section->html, HasSubstr("//apps/simpath -- --grid=9,10"));
}

TEST(SimpathPartTest, OnlyLongCountsAreShortened) {
  const auto section = SimpathPart({*ReadRun(Data("simpath.json"))});
  EXPECT_EQ(Count(section->html, "<td class=\"n\">41044208702632496804</td>"), 13);
  EXPECT_EQ(Count(section->html, "<td class=\"n\">156875803046… (25 digits)</td>"), 13);
}

TEST(SimpathPartTest, TheHeadlineIsOfTheFastestCountOfTheLargestGrid) {
  auto run = *ReadRun(Data("simpath.json"));
  for (Json& row : run.results) {
    const bool is_largest = TextOf(row, "graph") == "grid 10x10";
    row["seconds"] = is_largest ? 2.5 : 0.25;
    if (is_largest && TextOf(row, "mode") == "eba" && TextOf(row, "policy") == "scatter" &&
        TextOf(row, "threads") == "2") {
      row["seconds"] = 1.25;
    }
  }
  const auto section = SimpathPart({run});
  ASSERT_EQ(section->headlines.size(), 1u);
  EXPECT_EQ(section->headlines[0].value, "1.250 s");
  EXPECT_EQ(section->headlines[0].meaning,
            "for all 156875803046… (25 digits) simple paths of grid 10x10: eba, scatter, 2 "
            "threads");
  EXPECT_THAT(section->html, HasSubstr("eba is fastest with 2 threads by policy scatter: 1.250 s; "
                                       "the best time of one thread is 2.00 × that of 2 threads"));
  EXPECT_THAT(section->html, HasSubstr("sequential in 2.500 s, eba in 1.250 s and array in 2.500"));
}

TEST(SimpathPartTest, Figure12IsOfTheGridThatWasCountedByTheMostNumbersOfThreads) {
  const auto run = WithRows(*ReadRun(Data("simpath.json")), [](const Json& row) {
    return TextOf(row, "graph") == "grid 9x9" || TextOf(row, "threads") == "2";
  });
  const auto section = SimpathPart({run});
  EXPECT_THAT(section->html, HasSubstr("grid 9x9 (the paper&#39;s figure 12)"));
}

TEST(SimpathPartTest, AFigureIsLeftOutWhereItsRowsAre) {
  const auto run = *ReadRun(Data("simpath.json"));
  const auto one_grid = SimpathPart(
      {WithRows(run, [](const Json& row) { return TextOf(row, "graph") == "grid 9x9"; })});
  EXPECT_THAT(one_grid->html, HasSubstr("figure 12"));
  EXPECT_THAT(one_grid->html, Not(HasSubstr("figure 13")));
  const auto no_eba =
      SimpathPart({WithRows(run, [](const Json& row) { return TextOf(row, "mode") != "eba"; })});
  ASSERT_TRUE(no_eba.ok()) << no_eba.status();
  EXPECT_EQ(Count(no_eba->html, "<polyline "), 0);
  EXPECT_EQ(no_eba->headlines.size(), 1u);
}

TEST(SimpathPartTest, AGraphThatIsNoGridHasAFigureByThreads) {
  auto run = *ReadRun(Data("simpath.json"));
  for (Json& row : run.results) row["graph"] = "<roads>.txt";
  const auto section = SimpathPart({run});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_THAT(section->html, HasSubstr("&lt;roads&gt;.txt (the paper&#39;s figure 12)"));
  EXPECT_THAT(section->html, Not(HasSubstr("figure 13")));
}

TEST(SimpathPartTest, AForecastIsNoCount) {
  auto run = *ReadRun(Data("simpath.json"));
  for (Json& row : run.results) row.erase("count");
  EXPECT_TRUE(absl::IsInvalidArgument(SimpathPart({run}).status()));
}

TEST(SdpaPartTest, WhatWasSolvedIsATableWithItsErrorsAndProofs) {
  const auto section = SdpaPart({*ReadRun(Data("sdpa.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_THAT(section->html,
              HasSubstr("<tr><td>material</td><td class=\"n\">9941</td><td>optimal</td>"
                        "<td class=\"n\">2.750</td><td class=\"n\">16</td>"
                        "<td class=\"n\">-200.884181</td><td class=\"n\">9.6e-08</td>"));
  EXPECT_THAT(section->html, HasSubstr("<td>primal infeasible</td><td class=\"n\">0.001</td>"
                                       "<td class=\"n\">10</td><td class=\"n\"></td>"
                                       "<td class=\"n\">4.7e-10 (of the proof)</td>"));
  EXPECT_THAT(section->html, HasSubstr("//apps/sdpa -- --generate=control-40 --threads=1,2"));
}

TEST(SdpaPartTest, TheSplitIsOfTheMostThreadsAndItsPartsMakeTheWhole) {
  const auto section = SdpaPart({*ReadRun(Data("sdpa.json"))});
  // Of 0.5 s with 2 threads: 0.75 and 0.125 thread seconds.
  for (const char* bar : {"<title>control-40, elements: 0.375 seconds</title>",
                          "<title>control-40, factorization: 0.0625 seconds</title>",
                          "<title>control-40, all else: 0.0625 seconds</title>"}) {
    EXPECT_THAT(section->html, HasSubstr(bar));
  }
  EXPECT_THAT(section->html, Not(HasSubstr("<title>infeasible:primal")));
}

TEST(SdpaPartTest, Figure14ComparesRowsThatDifferInTheMethodAlone) {
  const auto section = SdpaPart({*ReadRun(Data("sdpa.json"))});
  EXPECT_THAT(section->html, HasSubstr("(the paper&#39;s figure 14)"));
  EXPECT_THAT(section->html,
              HasSubstr("<tr><td>control-40</td><td class=\"n\">1</td><td class=\"n\">135.00</td>"
                        "<td class=\"n\">45.00</td><td class=\"n\">3.00</td>"
                        "<td>none, first-touch</td></tr>"));
  EXPECT_EQ(Count(section->html, "<td>none, first-touch</td>"), 4) << "2 problems, 2 threads";
}

TEST(SdpaPartTest, Figures15And16HaveALineAPolicyAndALineAPlacement) {
  const auto section = SdpaPart({*ReadRun(Data("sdpa.json"))});
  EXPECT_THAT(section->html, HasSubstr("control-40 (the paper&#39;s figure 15)"));
  EXPECT_THAT(section->html, HasSubstr("material (the paper&#39;s figure 16)"));
  EXPECT_EQ(Count(section->html, "<polyline "), 8) << "2 problems, by policy and by placement";
  EXPECT_THAT(section->html, HasSubstr("placement, policy scatter"));
  EXPECT_THAT(
      section->html,
      HasSubstr("control-40 take 40.00 ms by one thread and 20.00 ms by 2 threads, 2.00 ×"));
  EXPECT_THAT(section->html, HasSubstr("material take 20.00 ms by one thread and 25.00 ms by 2 "
                                       "threads, which is slower, 0.80 ×"));
}

TEST(SdpaPartTest, TheHeadlinesAreOfTheLargestProblemAndOfTheLongestElements) {
  const auto section = SdpaPart({*ReadRun(Data("sdpa.json"))});
  ASSERT_EQ(section->headlines.size(), 2u);
  EXPECT_EQ(section->headlines[0].value, "2.750 s");
  EXPECT_THAT(section->headlines[0].meaning, HasSubstr("material of 9941 constraints: optimal"));
  EXPECT_EQ(section->headlines[1].value, "3.00 ×");
  EXPECT_THAT(section->headlines[1].meaning, HasSubstr("control-40, 1 thread"));
}

TEST(SdpaPartTest, MeasuredAndVirtualTimesAreNeverInOnePlotOrTable) {
  const auto real = SdpaPart({*ReadRun(Data("sdpa.json"))});
  const auto both = SdpaPart({*ReadRun(Data("sdpa_simulated.json")), *ReadRun(Data("sdpa.json"))});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->headlines.size(), real->headlines.size());
  const std::size_t simulated = both->html.find("On simulated devices");
  ASSERT_NE(simulated, std::string::npos);
  EXPECT_EQ(both->html.substr(0, both->html.find("theta-200")).find("sim:2"), std::string::npos);
  EXPECT_GT(both->html.find("0.094"), simulated);
  EXPECT_EQ(both->html.find("2.750", simulated), std::string::npos);
  EXPECT_EQ(Count(both->html, ">virtual seconds</th>"), 1);
  EXPECT_EQ(Count(both->html, "<svg "), Count(real->html, "<svg "));
  const auto alone = SdpaPart({*ReadRun(Data("sdpa_simulated.json"))});
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->headlines.size(), 0u);
  EXPECT_EQ(Count(alone->html, "<svg "), 0);
}

TEST(SdpaPartTest, AFigureIsLeftOutWhereItsRowsAre) {
  const auto run = *ReadRun(Data("sdpa.json"));
  const auto one_thread =
      SdpaPart({WithRows(run, [](const Json& row) { return TextOf(row, "threads") == "1"; })});
  ASSERT_TRUE(one_thread.ok()) << one_thread.status();
  EXPECT_THAT(one_thread->html, Not(HasSubstr("figure 15")));
  const auto solved =
      SdpaPart({WithRows(run, [](const Json& row) { return TextOf(row, "mode") == "solve"; })});
  EXPECT_THAT(solved->html, Not(HasSubstr("figure 14")));
  EXPECT_EQ(solved->headlines.size(), 1u);
  const auto terms =
      SdpaPart({WithRows(run, [](const Json& row) { return TextOf(row, "method") == "terms"; })});
  EXPECT_THAT(terms->html, Not(HasSubstr("figure 14")));
  EXPECT_THAT(terms->html, HasSubstr("figure 16"));
}

TEST(SdpaPartTest, ResultsOfNoModeOfItsOwnAreRefused) {
  EXPECT_FALSE(SdpaPart({*ReadRun(Data("counter.json"))}).ok());
}

TEST(MatmulPartTest, MeasuredAndVirtualTimesAreNeverInOnePlotOrTable) {
  const auto section = MatmulPart({*ReadRun(Data("matmul.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_EQ(Count(section->html, "<polyline "), 3) << "original, cutoff, depth: real";
  EXPECT_EQ(Count(section->html, "<table"), 2);
  const std::size_t simulated = section->html.find("Speed by simulated workers");
  ASSERT_NE(simulated, std::string::npos);
  EXPECT_GT(section->html.find("210.5"), simulated);
  EXPECT_EQ(section->html.find("161.5", simulated), std::string::npos);
}

TEST(MatmulPartTest, TheHistogramIsOfOneProductWithTheMostWorkers) {
  const auto section = MatmulPart({*ReadRun(Data("matmul.json"))});
  EXPECT_THAT(section->html, HasSubstr("Steals of one product by depth, 2 workers"));
  EXPECT_THAT(section->html, HasSubstr("3, original: 3 steals")) << "six in two repetitions";
  EXPECT_THAT(section->html, HasSubstr("1, depth, k = 8: 1.5 steals"));
}

TEST(MatmulPartTest, TheHeadlinesCompareOriginalWithCutoff) {
  const auto section = MatmulPart({*ReadRun(Data("matmul.json"))});
  ASSERT_EQ(section->headlines.size(), 4u) << "two of each mode";
  EXPECT_EQ(section->headlines[0].value, "150.2 GFLOP/s");
  EXPECT_EQ(section->headlines[1].value, "0.93 ×");
  EXPECT_THAT(section->headlines[3].meaning, HasSubstr("32 simulated workers"));
}

TEST(StencilPartTest, EveryRowsTimeIsABarInPiecesAndALineOfTheTable) {
  const auto section = StencilPart({*ReadRun(Data("stencil.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_THAT(section->html, HasSubstr("7-point stencil, 2 ranks: parts of the time"));
  EXPECT_THAT(section->html, HasSubstr("<title>A1p, 1, compute: 1.25 s</title>"));
  EXPECT_THAT(section->html, HasSubstr("<title>A3p, 2, rest: 0.0625 s</title>"));
  EXPECT_EQ(Count(section->html, "<tr><td>A1p</td>"), 2);
  EXPECT_THAT(section->html, HasSubstr("--run_under=&#39;//llcl:llclrun -n 2&#39; //apps/stencil"));
}

TEST(StencilPartTest, ASweptOptionIsALineAnAlgorithm) {
  const auto run = *ReadRun(Data("stencil.json"));
  const auto by_threads = StencilPart({run});
  EXPECT_EQ(Count(by_threads->html, "<polyline "), 2);
  EXPECT_EQ(by_threads->html.find("by page size"), std::string::npos);
  auto larger_pages = run;
  for (Json& row : larger_pages.results) row["page_bytes"] = 65536;
  const auto by_pages = StencilPart({run, larger_pages});
  EXPECT_EQ(Count(by_pages->html, "<polyline "), 4);
  EXPECT_THAT(by_pages->html, HasSubstr("speed by bytes a page"));
  EXPECT_THAT(by_pages->html, HasSubstr("A1p, bytes a page 65536: 2250 Mupdates/s"))
      << "of two numbers of threads the faster";
}

TEST(StencilPartTest, TheHeadlinesAreOfTheFastestAndOfAStepAtATime) {
  const auto section = StencilPart({*ReadRun(Data("stencil.json"))});
  ASSERT_EQ(section->headlines.size(), 2u);
  EXPECT_EQ(section->headlines[0].value, "4500 Mupdates/s");
  EXPECT_THAT(section->headlines[0].meaning, HasSubstr("A3p, 7 points, 2 ranks of 2 threads"));
  EXPECT_EQ(section->headlines[1].value, "2.00 ×");
}

TEST(StencilPartTest, MeasuredAndVirtualTimesAreNeverInOnePlotOrTable) {
  const auto real = StencilPart({*ReadRun(Data("stencil.json"))});
  const auto both =
      StencilPart({*ReadRun(Data("stencil_simulated.json")), *ReadRun(Data("stencil.json"))});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_TRUE(both->html.starts_with(real->html)) << "what was measured is as it is alone";
  const std::string virtual_part = both->html.substr(real->html.size());
  EXPECT_EQ(Count(virtual_part, "<polyline "), 2);
  EXPECT_THAT(virtual_part, HasSubstr("A1p, nodes; each brings planes of its own 128: 251.25"));
  EXPECT_THAT(virtual_part, HasSubstr("<title>128 nodes, faults: 2 s</title>"));
  EXPECT_THAT(virtual_part, HasSubstr("<td>latency_us</td><td class=\"n\">1.25</td>"));
  EXPECT_EQ(Count(virtual_part, "<table"), 2) << "assumptions and rows";
  EXPECT_EQ(Count(virtual_part, "--mode=simulated --nodes=2,128"), 1);
  EXPECT_EQ(both->headlines.size(), real->headlines.size() + 1);
}

TEST(StencilPartTest, VirtualTimesMayBeAlone) {
  const auto section = StencilPart({*ReadRun(Data("stencil_simulated.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  ASSERT_EQ(section->headlines.size(), 1u);
  EXPECT_THAT(section->headlines[0].meaning, HasSubstr("simulated: A1p, 128 nodes"));
}

TEST(StencilPartTest, ResultsWithoutSpeedAreRefused) {
  EXPECT_FALSE(StencilPart({*ReadRun(Data("counter.json"))}).ok());
}

TEST(CholeskyPartTest, MeasuredAndVirtualTimesAreNeverInOneTable) {
  const auto section =
      CholeskyPart({*ReadRun(Data("cholesky_simulated.json")), *ReadRun(Data("cholesky.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_EQ(Count(section->html, "<table"), 2);
  EXPECT_EQ(Count(section->html, ">seconds</th>"), 1);
  EXPECT_EQ(Count(section->html, ">virtual seconds</th>"), 1);
  const std::size_t simulated = section->html.find("On simulated devices");
  EXPECT_LT(section->html.find("0.250"), simulated);
  EXPECT_EQ(section->html.find("0.250", simulated), std::string::npos);
  EXPECT_GT(section->html.find("1.738"), simulated);
  EXPECT_THAT(section->html, HasSubstr("device_gflop_per_s 14000, alloc_us 200."));
}

TEST(CholeskyPartTest, FiguresHaveALineForASweptOptionAndBarsForAFreeOne) {
  const auto section = CholeskyPart({*ReadRun(Data("cholesky_simulated.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_EQ(Count(section->html, "<polyline "), 2) << "optimized and not";
  EXPECT_THAT(section->html, HasSubstr("sim:1, not optimized"));
  EXPECT_THAT(section->html, HasSubstr("<title>sim:1, free: none: 6.7472 TFLOP/s</title>"));
  EXPECT_THAT(section->html, HasSubstr("<title>sim:1, free: copies: 6.9554 TFLOP/s</title>"));
  const auto measured = CholeskyPart({*ReadRun(Data("cholesky.json"))});
  EXPECT_EQ(Count(measured->html, "<svg "), 0);
}

TEST(CholeskyPartTest, TheHeadlinesAreOfTheFastestAndOfTable3) {
  const auto section =
      CholeskyPart({*ReadRun(Data("cholesky.json")), *ReadRun(Data("cholesky_simulated.json"))});
  ASSERT_EQ(section->headlines.size(), 2u);
  EXPECT_EQ(section->headlines[0].value, "92.5 GFLOP/s");
  EXPECT_EQ(section->headlines[1].value, "13.9 ×");
  EXPECT_THAT(section->headlines[1].meaning, HasSubstr("1425 for 5984 tasks"));
}

TEST(CholeskyPartTest, ARunsPictureIsInIt) {
  auto run = *ReadRun(Data("cholesky_simulated.json"));
  EXPECT_EQ(Count(CholeskyPart({run})->html, "<img "), 0);
  run.picture = "<svg/>";
  EXPECT_EQ(Count(CholeskyPart({run})->html, "<img "), 1);
}

TEST(CholeskyPartTest, ResultsWithoutCopiesAreRefused) {
  EXPECT_FALSE(CholeskyPart({*ReadRun(Data("counter.json"))}).ok());
}

TEST(LeadTest, TheProgramsThatWereRunAreNamed) {
  EXPECT_THAT(LeadOf({"stream", "matmul", "bfs"}),
              HasSubstr("On this machine stream, matmul and bfs were run,"));
  EXPECT_THAT(LeadOf({"stream"}), HasSubstr("On this machine stream was run,"));
  EXPECT_THAT(LeadOf({}), HasSubstr("no program was run"));
}

TEST(RmaPartTest, ItShowsReadsByThreadsPairsOfHostsAndCollectivesBySize) {
  EXPECT_EQ(PartFor("rma"), &RmaPart);
  const auto section = RmaPart({*ReadRun(Data("rma.json"))});
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_THAT(section->html, HasSubstr("mixed, in-place, inside"));
  EXPECT_THAT(section->html, HasSubstr("mixed, hybrid, beyond"));
  EXPECT_THAT(section->html, HasSubstr("Collective operations of 4 ranks"));
  EXPECT_THAT(section->html, HasSubstr("mixed, allreduce"));
  EXPECT_THAT(section->html, Not(HasSubstr("mixed, barrier")));
  EXPECT_THAT(section->html, HasSubstr("tofu, offload"));
  // Two lines by threads, one simulated, one by size.
  EXPECT_EQ(Count(section->html, "<polyline "), 4);
  EXPECT_EQ(Count(section->html, "<tr><td>mixed</td><td>inside</td>"), 2);
  EXPECT_EQ(Count(section->html, "<tr><td>mixed</td><td>barrier</td>"), 1);
}

TEST(OtherPartTest, AnyProgramsRowsAreATableOfItsOwnKeys) {
  const auto run = ReadRun(Data("counter.json"));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(PartFor("counter"), &OtherPart);
  const auto section = OtherPart({*run});
  ASSERT_TRUE(section.ok());
  EXPECT_THAT(section->html, HasSubstr("<th>graph</th><th>count</th><th class=\"n\">seconds</th>"
                                       "<th class=\"n\">threads</th>"));
  EXPECT_THAT(section->html, HasSubstr("<td>&lt;grid&gt;</td><td>575780564</td>"));
  EXPECT_THAT(section->html, HasSubstr("<td>king</td><td></td>"));
}

TEST(MachinePartTest, MappingsAreTheTableOfThePaperEightThreadsARow) {
  MachineFiles files{.id = "m",
                     .title = "Machine",
                     .topology = "pack:4 core:8",
                     .svg = Data("machine.svg"),
                     .drawn_by = "map --policy=scatter",
                     .mappings = {{"scatter", Data("scatter.json")}}};
  const auto section = MachinePart(files);
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_THAT(section->html,
              HasSubstr("<td>0 – 7</td><td class=\"n\">0</td><td class=\"n\">8</td>"));
  EXPECT_THAT(section->html,
              HasSubstr("<td>8 – 9</td><td class=\"n\">2</td><td class=\"n\">10</td></tr>"));
  EXPECT_THAT(section->html,
              HasSubstr("-- map --policy=scatter --topology=&#39;pack:4 core:8&#39; --svg"));
  EXPECT_THAT(section->html,
              HasSubstr("-- map --topology=&#39;pack:4 core:8&#39; --policy=scatter --threads=10"));
}

TEST(MachinePartTest, PoliciesThatDoTheSameShareATable) {
  const MachineFiles files{.id = "m",
                           .title = "Machine",
                           .mappings = {{"scatter", Data("scatter.json")},
                                        {"compact", Data("compact.json")},
                                        {"compact+", Data("scatter.json")}}};
  const auto section = MachinePart(files);
  ASSERT_TRUE(section.ok()) << section.status();
  EXPECT_EQ(Count(section->html, "<table"), 2);
  EXPECT_THAT(section->html, HasSubstr("Policies scatter and compact+: the PU of each thread"));
  EXPECT_THAT(section->html, HasSubstr("Policy compact: the PU of each thread"));
}

TEST(InputTest, InputThatNoProgramWritesIsReportedWithFileAndLine) {
  EXPECT_TRUE(absl::IsNotFound(ReadRun(Data("none.json")).status()));
  EXPECT_THAT(std::string(ParseJson("{\n\"a\": 1,\n oops\n}", "x.json").status().message()),
              HasSubstr("x.json: line 3: expected JSON"));
  EXPECT_THAT(std::string(ReadRun(Data("scatter.json")).status().message()),
              HasSubstr("scatter.json: expected an object"));
  EXPECT_FALSE(MachinePart({.id = "m", .title = "M", .svg = Data("stream.json")}).ok());
  EXPECT_FALSE(
      MachinePart({.id = "m", .title = "M", .mappings = {{"x", Data("stream.json")}}}).ok());
}

TEST(InputTest, NumbersAreShownAsBrieflyAsTheyAreMeant) {
  const Json object = {{"a", 1.5}, {"b", 0.0000123}, {"c", 7}, {"d", "word"}, {"e", nullptr}};
  EXPECT_EQ(TextOf(object, "a"), "1.500");
  EXPECT_EQ(TextOf(object, "b"), "1.23e-05");
  EXPECT_EQ(TextOf(object, "c"), "7");
  EXPECT_EQ(TextOf(object, "d"), "word");
  EXPECT_EQ(TextOf(object, "e"), "");
  EXPECT_EQ(TextOf(object, "none"), "");
}

}  // namespace
}  // namespace report
