// The programs that the OpenMP translator refuses as OpenMP has them not: blocks that control
// leaves or enters, and clauses that say different things; and what the refusals say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

// The answer to a directive and its statement, in lines 4 and 5 of a function; empty: none.
std::string Answer(const std::string& directive, const std::string& statement,
                   const std::string& before = "", const std::string& behind = "") {
  return Refusal("#define OUT(x) if (x) return\nvoid g(int n, int x) {\n" + before +
                 "\n#pragma omp " + directive + "\n" + statement + "\n" + behind + "\n}\n");
}
constexpr char kLoop[] = "for (int i = 0; i < n; i++) ";

TEST(TranslateBlocks, ABlockThatControlLeavesIsRefused) {
  for (const char* const name :
       {"parallel", "task", "single", "critical", "master", "taskgroup", "target", "sections"}) {
    EXPECT_EQ(Answer(name, "{ if (x) return; }"),
              "program.c:5: expected no return, which leaves the block of " + std::string(name));
  }
  for (const char* const name : {"for", "parallel for", "taskloop", "simd", "for simd"}) {
    EXPECT_EQ(Answer(name, std::string(kLoop) + "if (i == x) break;"),
              "program.c:5: expected no break, which leaves the block of " + std::string(name));
    EXPECT_EQ(Answer(name, std::string(kLoop) + "if (i == x) continue;"), "") << name;
  }
  EXPECT_EQ(Answer("for collapse(2)", std::string(kLoop) + "for (int j = 0; j < n; j++) break;"),
            "program.c:5: expected no break, which leaves the block of for");
  EXPECT_EQ(Answer("critical", "{ continue; }", "while (x) {", "}"),
            "program.c:5: expected no continue, which leaves the block of critical");
  EXPECT_EQ(Answer("critical", "{ goto out; }", "", "out: ;"),
            "program.c:5: expected no goto out, which leaves the block of critical");
  EXPECT_EQ(Answer("parallel", "OUT(x);"),
            "program.c:5: expected no return in OUT, which leaves the block of parallel");
}

TEST(TranslateBlocks, ABlockThatControlEntersIsRefused) {
  EXPECT_EQ(Answer("critical", "{ in: x++; }", "goto in;"),
            "program.c:3: expected no goto in, which enters the block of critical");
  EXPECT_EQ(Answer("critical", "{ case 1: x++; }", "switch (x) {", "}"),
            "program.c:5: expected no case, which enters the block of critical");
}

TEST(TranslateBlocks, LoopsSwitchesAndLabelsInsideOfABlockAreItsOwn) {
  for (const char* const statement :
       {"while (x) { if (x) break; continue; }", "do if (x) break; while (x);",
        "switch (x) { case 1: break; default: for (;;) continue; }",
        "{ goto a; a: x++; if (x) goto b; else b: x = x ? n : x; }",
        "{ int f(int y) { return y; } x = f(1); }", "{ s.x = _Generic(x, default: 1); }"}) {
    EXPECT_EQ(Answer("parallel", statement), "") << statement;
  }
  EXPECT_EQ(Answer("parallel", "{ forever { if (n--) break; } }", "#define forever for (;;)"), "");
  EXPECT_EQ(Answer("parallel", "{ EACH(x) { if (n--) continue; } }"), "");
  EXPECT_EQ(Answer("parallel", "{ if (x) { break; } }"),
            "program.c:5: expected no break, which leaves the block of parallel");
  EXPECT_EQ(Answer("barrier", "return;"), "");
  EXPECT_EQ(Answer("critical", "x++;", "goto out;", "out: ;"), "");
}

TEST(TranslateBlocks, EachPartOfAConstructHasAnIfOfItsOwn) {
  EXPECT_EQ(Answer("parallel for simd if(parallel: n > 4 ? 1 : 0) if(simd: n ? 1 : 0)",
                   std::string(kLoop) + "x++;"),
            "");
}

TEST(TranslateBlocks, ClausesThatDifferAreRefused) {
  const auto refuses = [](const std::string& directive, const std::string& what) {
    EXPECT_EQ(Answer(directive, std::string(kLoop) + "f(i);"), "program.c:4: expected " + what);
  };
  refuses("parallel num_threads(2) num_threads(3)", "one num_threads behind parallel");
  refuses("for schedule(static) schedule(dynamic)", "one schedule behind for");
  refuses("for collapse(1) collapse(1)", "one collapse behind for");
  refuses("parallel if(x) if(n)", "one if behind parallel");
  refuses("parallel if(parallel: x) if(parallel : n)", "one if(parallel: behind parallel");
  refuses("parallel private(x) shared(x)", "x in one of private and shared behind parallel");
  refuses("parallel private(n, x, n)", "n in one of private and private behind parallel");
  refuses("for reduction(+ : x) firstprivate(x)",
          "x in one of reduction and firstprivate behind for");
  for (const char* const valid :
       {"parallel for firstprivate(x) lastprivate(x)",
        "for lastprivate(conditional: x) firstprivate(x)",
        "parallel for if(parallel: x) private(x)", "task depend(in: x) depend(out: n)",
        "task if(x ? n : 1) firstprivate(x)", "parallel for reduction(+ : x) reduction(max : n)"}) {
    EXPECT_EQ(Answer(valid, std::string(kLoop) + "f(i);"), "") << valid;
  }
}

TEST(TranslateBlocks, ALoopUntilAValueMeetsIt) {
  const auto loop = [](const std::string& step) {
    return Answer("for", "for (int i = 0; i != n; " + step + ") f(i);");
  };
  EXPECT_EQ(loop("i += 2"), "program.c:5: expected a step of 1 or -1 with != behind for, not (2)");
  EXPECT_EQ(loop("i -= 3"),
            "program.c:5: expected a step of 1 or -1 with != behind for, not -(long)(3)");
  for (const char* const step : {"i++", "i -= 1", "i = i + 1", "i += x"}) EXPECT_EQ(loop(step), "");
}

TEST(TranslateBlocks, ARefusalNamesThePlaceAndTheWordThatIsMeant) {
  EXPECT_EQ(Refusal("void g(void) {\n  {\n    f(1, 2;\n  }\n}\n"),
            "program.c:3: expected a ) for the ( of this line");
  EXPECT_EQ(Refusal("void g(void) {\n  {\n}\n"),
            "program.c:1: expected a } for the { of this line");
  const auto says = [](const std::string& word, const std::string& meant) {
    EXPECT_EQ(Answer(word, ";"),
              "program.c:4: expected a directive behind #pragma omp that ompc --constructs lists "
              "as one that runs, not " +
                  word + meant);
  };
  says("paralel", ": parallel?");
  says("tsak", ": task?");
  says("bariers", ": barrier?");
  says("of", "");
  says("nonsense", "");
}

}  // namespace
}  // namespace taskrt
