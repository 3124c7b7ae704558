// What the OpenMP translator makes of parallel regions, and of the loops and sections that members
// share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Loop(const std::string& words, const std::string& head,
                 const std::string& body = "f(A[i], n);") {
  return InFunction(words, "for (" + head + ") " + body);
}

TEST(TranslateRegions, AParallelRegionIsAFunctionThatMembersCall) {
  EXPECT_THAT(
      Translated("void g(void) {\n#pragma omp parallel\n  if (x) { y(\"}\"); }\n  else\n"
                 "    for (;;) z();\n  last();\n}\n"),
      AllOf(HasSubstr(
                "void g(void) {\n { ompc_parallel(ompc_task_1, NULL, 0, 1); }\n\n\n\n  last();"),
            HasSubstr(
                "#line 2 \"program.c\"\n\n  if (x) { y(\"}\"); }\n  else\n    for (;;) z();\n}")));
  EXPECT_THAT(
      Translated("void g(int n) {\n  int x, z;\n#pragma omp parallel private(x) firstprivate(z) "
                 "num_threads(n + 1) if(parallel: n > 2)\n  y(x, z);\n}\n"),
      AllOf(
          HasSubstr(
              "{ void *ompc_args[] = {(void *)&(z)}; ompc_parallel(ompc_task_1, ompc_args, n + 1, "
              "!!(n > 2)); }"),
          HasSubstr("  int x;\n  (void)x;\n  int z;\n  __builtin_memcpy((void *)&z, ompc_args[0], "
                    "sizeof z);")));
}

TEST(TranslateRegions, VariablesFromOutsideAreSharedAndThoseOfTheRegionAreItsOwn) {
  EXPECT_THAT(Translated("int all;\nvoid g(void) {\n  int x = 0;\n  static int s;\n#pragma omp "
                         "parallel\n  {\n    int y = 0;\n"
                         "    all = s + x + y;\n  }\n}\n"),
              HasSubstr("all = (*ompc_at_s) + (*ompc_at_x) + y;"));
}

TEST(TranslateRegions, ASingleIsRunByMember0) {
  EXPECT_THAT(Translated("void g(void) {\n#pragma omp single\n  { y(); }\n}\n"),
              HasSubstr("{ if (ompc_member() == 0) {\n  { y(); } } ompc_barrier(); }"));
  EXPECT_THAT(Translated("void g(void) {\n#pragma omp single nowait\n  { y(); }\n}\n"),
              Not(HasSubstr("barrier")));
  EXPECT_THAT(
      Translated("void g(void) {\n  int x;\n#pragma omp single copyprivate(x)\n  x = 1;\n}\n"),
      HasSubstr("ompc_copyprivate(ompc_member() == 0, 1, ompc_variables, ompc_bytes); }"));
}

TEST(TranslateRegions, ALoopRunsTheChunksThatItsMemberGets) {
  EXPECT_THAT(
      Translated(Loop("for", "int i = 1; i < n; i += 2")),
      AllOf(HasSubstr("int ompc_lower0 = 1; "), HasSubstr("const long ompc_step0 = (2); "),
            HasSubstr("OMPC_UP_TO(ompc_lower0, ompc_upper0, ompc_step0, 0)"),
            HasSubstr("ompc_loop_begin(&ompc_loop, OMPC_STATIC, ompc_count0, ompc_chunk, 0); while "
                      "(ompc_loop_next(&ompc_loop, &ompc_first, &ompc_last)) { i = ompc_lower0 + "
                      "ompc_first * "
                      "ompc_step0; for (long ompc_left = ompc_last - ompc_first; ompc_left > 0; "
                      "--ompc_left, i "
                      "+= ompc_step0) { "),
            HasSubstr("ompc_loop_end(&ompc_loop, 0); } }")));
  EXPECT_THAT(
      Translated(Loop("for schedule(monotonic: dynamic, n) nowait", "int i = n; 0 <= i; --i")),
      AllOf(HasSubstr("OMPC_DOWN_TO(ompc_lower0, ompc_upper0, -1, 1)"),
            HasSubstr("const long ompc_chunk = n;"), HasSubstr("OMPC_DYNAMIC"),
            HasSubstr("ompc_loop_end(&ompc_loop, 1)")));
  EXPECT_THAT(
      Translated(Loop("parallel for collapse(2)", "int i = 0; i < n; i++",
                      "for (int j = 0; j < 3; j++) f(A[i], j);")),
      AllOf(HasSubstr("ompc_count0 * ompc_count1"),
            HasSubstr("++ompc_index1 == ompc_count1 ? (ompc_index1 = 0, ++ompc_index0) : 0"),
            HasSubstr("ompc_loop_end(&ompc_loop, 1)")));
  EXPECT_THAT(Translated(Loop("for ordered", "int i = 0; i < n; i++")),
              AllOf(HasSubstr("OMPC_ORDERED"), HasSubstr("ompc_ordered_skip(&ompc_loop);")));
}

TEST(TranslateRegions, ATriangleIsCountedAndWalked) {
  EXPECT_THAT(
      Translated(Loop("for collapse(2)", "int i = 0; i < n; i++",
                      "for (int j = i; j < n; j++) f(A[i], j);")),
      AllOf(HasSubstr("long ompc_total = 0; { int i; (void)i; int j; (void)j; for (long "
                      "ompc_index0 = 0; ompc_index0 "
                      "< ompc_count0; ++ompc_index0) { i = ompc_lower0 + ompc_index0 * 1; int "
                      "ompc_lower1 = i;"),
            HasSubstr("OMPC_STATIC, ompc_total, "), HasSubstr("ompc_at += ompc_count1; }")));
}

TEST(TranslateRegions, ALoopBelongsToTheConstructAroundIt) {
  const std::string inner = "{\n#pragma omp loop\n  for (int j = 0; j < n; j++) f(A[i], j);\n}";
  EXPECT_THAT(Translated(Loop("loop bind(parallel)", "int i = 0; i < n; i++", inner)),
              AllOf(HasSubstr("ompc_chunk, 0);"), HasSubstr("ompc_chunk, 0 | OMPC_ALONE);")));
  EXPECT_THAT(Translated(Loop("loop", "int i = 0; i < n; i++")),
              HasSubstr("ompc_chunk, 0 | OMPC_BINDS);"));
  EXPECT_THAT(Translated(InFunction("teams", inner)), HasSubstr("ompc_chunk, 0 | OMPC_BINDS);"));
}

TEST(TranslateRegions, LoopsThatAreNotOfOpenMpsFormAreRefused) {
  const std::string form = "for (i = LOWER; i < UPPER; i += STEP) behind for, of these parts alone";
  EXPECT_EQ(Refusal(Loop("for", "int i = 0; i < n; i *= 2")), "program.c:4: expected " + form);
  EXPECT_EQ(Refusal(InFunction("for", "n = 1;")), "program.c:4: expected " + form);
  EXPECT_EQ(Refusal(Loop("for collapse(2)", "int i = 0; i < n; i++",
                         "for (int j = 0; j < n; j += i) f(A[i], j);")),
            "program.c:4: expected a loop with the same step in all iterations of i");
  EXPECT_EQ(Refusal(Loop("taskloop collapse(2)", "int i = 0; i < n; i++",
                         "for (int j = i; j < n; j++) f(A[i], j);")),
            "program.c:3: expected loops with the same bounds in all iterations of taskloop");
  EXPECT_EQ(Refusal(Loop("for collapse(2)", "int i = 0; i < n; i++",
                         "{ for (int j = 0; j < n; j++) f(A[i], j); n = 1; }")),
            "program.c:4: expected nothing but a loop in the loop that collapse(2) has");
  EXPECT_EQ(Refusal(Loop("for schedule(no)", "int i = 0; i < n; i++")),
            "program.c:3: expected static, dynamic, guided, auto or runtime in schedule, not no");
  EXPECT_EQ(Refusal(InFunction("sections", "f(a, n);")),
            "program.c:3: expected a block behind sections");
}

TEST(TranslateRegions, AReductionIsAddedOnceByEachMember) {
  EXPECT_THAT(Translated("void g(int n) {\n  int s = 0;\n#pragma omp parallel for reduction(+ : "
                         "s)\n  for (int i = 0; i < n; i++) s += i;\n}\n"),
              AllOf(HasSubstr("__typeof__((*ompc_at_s)) *ompc_reduced_s = &((*ompc_at_s));"),
                    HasSubstr("int s = 0;"),
                    HasSubstr("ompc_reduce_begin(); (*ompc_reduced_s) += s; ompc_reduce_end();")));
  EXPECT_THAT(
      Translated(
          "#pragma omp declare reduction(add : struct v : f(&omp_out, &omp_in)) "
          "initializer(omp_priv = {1})\n"
          "void g(void) {\n  struct v s;\n#pragma omp parallel reduction(add : s)\n  h(&s);\n}\n"),
      AllOf(HasSubstr("struct v s =  {1};"), HasSubstr("f(&(*ompc_reduced_s), &s);")));
}

TEST(TranslateRegions, OneMemberRunsALoopInOrderThatLooksBack) {
  for (const char* const clause : {"ordered(1)", "lastprivate(conditional: n)"}) {
    EXPECT_THAT(
        Translated(Loop(absl::StrCat("for schedule(dynamic) ", clause), "int i = 0; i < n; i++")),
        AllOf(HasSubstr("const long ompc_chunk = ompc_count0; "),
              HasSubstr("OMPC_STATIC, ompc_count0, ompc_chunk, 0)")))
        << clause;
  }
  EXPECT_THAT(Translated(InFunction("ordered depend(sink: i - 1)")), HasSubstr("{  }\nf(a, n);"));
}

TEST(TranslateRegions, WordsThatAConstructDoesNotKeepAreRefused) {
  const std::string head = "int i = 0; i < n; i++";
  EXPECT_EQ(Refusal(Loop("taskloop lastprivate(conditional: n)", head)),
            "program.c:3: expected no conditional behind taskloop");
  EXPECT_EQ(Refusal(InFunction("parallel reduction(inscan, +: n)")),
            "program.c:3: expected no inscan behind parallel");
  EXPECT_EQ(Refusal(Loop("taskloop firstprivate(n) lastprivate(n)", head)),
            "program.c:3: expected no firstprivate of n behind taskloop, which lastprivate has");
}

TEST(TranslateRegions, AMacroMayNameTheOuterVariable) {
  EXPECT_THAT(
      Translated("#define LIMIT (i + 1)\n" + Loop("for collapse(2)", "int i = 0; i < n; i++",
                                                  "for (int j = 0; j < LIMIT; j++) f(A[i], j);")),
      HasSubstr("long ompc_total = 0;"));
}

TEST(TranslateRegions, AScanReadsTheSumsOfTheIterationsBefore) {
  const std::string words = "for reduction(inscan, + : n)", head = "int i = 0; i < 9; i++";
  const auto body = [](const std::string& scan) {
    return "{ f(A[i], n);\n#pragma omp scan " + scan + "(n)\n  A[i] = n; }";
  };
  EXPECT_THAT(Translated(Loop(words, head, body("inclusive"))),
              AllOf(HasSubstr("{ int n = 0; "),
                    HasSubstr("(*ompc_reduced_n) += n; n = *ompc_reduced_n; ")));
  EXPECT_THAT(Translated(Loop(words, head, body("exclusive"))),
              AllOf(HasSubstr("n = *ompc_reduced_n;  f(A[i], n);"),
                    HasSubstr("A[i] = n;  (*ompc_reduced_n) += n; }")));
  EXPECT_EQ(Refusal(Loop(words, head)),
            "program.c:3: expected a scan in the block of a loop with inscan");
}

TEST(TranslateRegions, AnErrorEndsTheTranslationOrIsReported) {
  EXPECT_EQ(Refusal(InFunction("error message(\"no\")")), "program.c:3: \"no\"");
  EXPECT_THAT(Translated(InFunction("error severity(warning) message(\"no\")")),
              HasSubstr("_Pragma(\"GCC warning \\\"no\\\"\")"));
  EXPECT_THAT(Translated(InFunction("error at(execution) message(text(n))")),
              HasSubstr("ompc_report(1, text(n), \"program.c\", 3);"));
}

TEST(TranslateRegions, AMetadirectiveIsTheFirstThatItsPlaceHas) {
  const std::string with = "metadirective when(device={kind(gpu)}: single) ",
                    single = "if (ompc_member() == 0) {";
  EXPECT_THAT(Translated(InFunction(with + "otherwise(barrier)")),
              HasSubstr("{ ompc_barrier(); }\nf(a, n);"));
  EXPECT_THAT(Translated(InFunction(with)), HasSubstr("{\n\nf(a, n);"));
  EXPECT_THAT(Translated(InFunction("metadirective when(device={kind(host)}, user={condition("
                                    "score(3): n > 2)}: single) default(barrier)")),
              AllOf(HasSubstr("if ((n > 2)) {"), HasSubstr(single), HasSubstr("} else {"),
                    HasSubstr("{ ompc_barrier(); }\nf(a, n);")));
  const std::string inner =
      "{\n#pragma omp metadirective when(construct={parallel}: barrier)\n  f(a, n);\n}";
  EXPECT_THAT(Translated(InFunction("parallel", inner)), HasSubstr("ompc_barrier();"));
  EXPECT_THAT(Translated(InFunction("single nowait", inner)), Not(HasSubstr("ompc_barrier();")));
  EXPECT_EQ(Refusal(InFunction("metadirective when(no: single)")),
            "program.c:3: expected SET={TRAIT, ...}, ... in a context selector, not no");
  EXPECT_EQ(Refusal(InFunction("metadirective default(interop)")),
            "program.c:3: expected a directive behind #pragma omp that ompc --constructs lists as "
            "one that runs, not interop");
}

TEST(TranslateRegions, AThreadprivateVariableIsTheThreadsCopy) {
  EXPECT_THAT(
      Translated("int x = 3;\n#pragma omp threadprivate(x)\nint g(void) { return s.x + x; }\n"),
      AllOf(
          HasSubstr("static struct ompc_threadprivate ompc_private_x = {(void *)&x, sizeof x, 0};"),
          HasSubstr("ompc_threadprivate_keep(&ompc_private_x);"),
          HasSubstr("s.x + (*(__typeof__(x) *)ompc_threadprivate_of(&ompc_private_x))")));
}

TEST(TranslateRegions, ATaskloopIsATaskForEachPartOfItsIterations) {
  EXPECT_THAT(Translated(Loop("taskloop grainsize(4)", "int i = 1; i < n; i += 2")),
              AllOf(HasSubstr("ompc_require(ompc_group_begin()); int ompc_lower0 = 1; "),
                    HasSubstr("long ompc_step0 = (2); "),
                    HasSubstr("OMPC_UP_TO(ompc_lower0, ompc_upper0, ompc_step0, 0)"),
                    HasSubstr("ompc_loop_tasks(ompc_count, 4, 0)"),
                    HasSubstr("for (long ompc_k = ompc_first; ompc_k < ompc_last; ++ompc_k) { i = "
                              "ompc_lower0 + ompc_k * ompc_step0; "),
                    HasSubstr("ompc_require(ompc_group_end()); }")));
  EXPECT_THAT(Translated(Loop("taskloop num_tasks(n) nogroup", "int i = n; 0 <= i; --i")),
              AllOf(HasSubstr("OMPC_DOWN_TO(ompc_lower0, ompc_upper0, ompc_step0, 1)"),
                    HasSubstr("ompc_loop_tasks(ompc_count, 0, n)"), Not(HasSubstr("group_begin"))));
  EXPECT_EQ(Refusal(Loop("taskloop", "int i = 0; i < n; i *= 2")),
            "program.c:4: expected for (i = LOWER; i < UPPER; i += STEP) behind taskloop, of these "
            "parts alone");
}

TEST(TranslateRegions, DirectivesWithoutEffectLeaveTheirStatement) {
  for (const char* const words :
       {"simd safelen(4)", "declare simd", "cancel for if(n)", "cancellation point for", "unroll",
        "tile sizes(4)", "assume no_openmp", "nothing"}) {
    EXPECT_THAT(Translated(InFunction(words)), HasSubstr("{\n\nf(a, n);\n}")) << words;
  }
}

}  // namespace
}  // namespace taskrt
