// What the OpenMP translator makes of tasks and targets, what it leaves, and what it refuses.
#include "taskrt/ompc/translate/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Translated(const std::string& source) {
  const auto text = TranslateOpenMp(source, "program.c");
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}
std::string Refusal(const std::string& source) {
  return std::string(TranslateOpenMp(source, "program.c").status().message());
}

// `words` before a call of f, whose declaration is known, in line 3.
std::string InFunction(const std::string& words, const std::string& statement = "f(a, n);") {
  return "void f(float *a, unsigned int n);\nvoid g(float **A, int n) {\n#pragma omp " + words +
         "\n" + statement + "\n}\n";
}

TEST(Translate, ATaskIsACallWhoseArgumentsAreTakenWhenItIsCreated) {
  const std::string text =
      Translated(InFunction("task depend(in:A[0], A[1]) depend(out:A[2])", "{ f(A[2], n + 1); }"));
  EXPECT_THAT(text, AllOf(HasSubstr("ompc_args[0] = (void *)(A[2]);"),
                          HasSubstr("OMPC_PUT(ompc_args[1], unsigned int, n + 1);"),
                          HasSubstr("void *ompc_in[] = {OMPC_BLOCK(A[0]), OMPC_BLOCK(A[1])};"),
                          HasSubstr("void *ompc_out[] = {OMPC_BLOCK(A[2])};"),
                          HasSubstr("tasklet_create_named(\"f\", ompc_call_f, 2, ompc_args, "
                                    "2, ompc_in, 1, ompc_out)")));
  EXPECT_THAT(text, HasSubstr("static void ompc_call_f(void **args) {\n"
                              "  OMPC_GET(unsigned int, arg1, args[1]);\n"
                              "  f(args[0], arg1);\n}\n"));
}

TEST(Translate, InOutIsBoth) {
  const std::string text = Translated(InFunction("task depend(inout:A[0])"));
  EXPECT_THAT(text, HasSubstr("1, ompc_in, 1, ompc_out"));
}

TEST(Translate, MapsHaveTheirSectionsAndDirections) {
  const std::string text = Translated(InFunction(
      "target map(in:A[0][:n]) map(from:A[1][2:n*n]) map(tofrom:A[2][:], x) map(y) nowait"));
  EXPECT_THAT(text, HasSubstr("{OMPC_MAP_PART(A[0], 0, n, 0), OMPC_MAP_PART(A[1], 2, n*n, 1), "
                              "OMPC_MAP(A[2], 2), OMPC_MAP(x, 2), OMPC_MAP(y, 2)};"));
  EXPECT_THAT(text, HasSubstr("0, NULL, 0, NULL, 5, ompc_maps, 1)"));
}

TEST(Translate, ATargetWithoutAsyncOrNowaitWaits) {
  EXPECT_THAT(Translated(InFunction("target map(in:A[0][:n])")), HasSubstr("1, ompc_maps, 0)"));
  EXPECT_THAT(Translated(InFunction("target map(in:A[0][:n]) async")),
              HasSubstr("1, ompc_maps, 1)"));
}

TEST(Translate, ATargetRunsTheVariantOfItsDevice) {
  const std::string variants =
      "#pragma omp declare variant(void f(float *a, unsigned n)) match(context=(target) "
      "device=(gpu))\nextern void f_gpu(float *a, unsigned n);\n"
      "#pragma omp declare variant(f) match(context=(target), device=(fpga))\n"
      "extern void f_fpga(float *a, unsigned n);\n";
  EXPECT_THAT(Translated(variants + InFunction("target device(fpga)")),
              AllOf(HasSubstr("ompc_kernel_or(\"f_fpga\", ompc_call_f_fpga)"),
                    Not(HasSubstr("ompc_call_f_gpu"))));
  EXPECT_THAT(Translated(variants + InFunction("task")), HasSubstr("ompc_call_f,"));
  EXPECT_EQ(Refusal(variants + InFunction("target device(cpu)")),
            "program.c:7: expected a declare variant of f for device cpu");
  EXPECT_EQ(Refusal(variants + InFunction("target")),
            "program.c:7: expected device(...), as there are several variants of f");
  EXPECT_THAT(Translated(InFunction("target")), HasSubstr("ompc_kernel_or(\"f\", ompc_call_f)"));
}

TEST(Translate, AParallelRegionIsItsStatementAndThenAllIsWaitedFor) {
  EXPECT_THAT(Translated("void g(void) {\n#pragma omp parallel\n  if (x) { y(\"}\"); }\n  else\n"
                         "    for (;;) z();\n  last();\n}\n"),
              HasSubstr("void g(void) {\n { ompc_begin();\n  if (x) { y(\"}\"); }\n  else\n"
                        "    for (;;) z(); ompc_require(ompc_target_end_region()); }\n  last();"));
  EXPECT_THAT(
      Translated(
          "void g(void) {\n#pragma omp parallel\n#pragma omp single nowait\n  { y(); }\n}\n"),
      HasSubstr(" { ompc_begin();\n\n  { y(); } ompc_require(ompc_target_end_region()); }\n"));
  EXPECT_THAT(Translated("void g(void) {\n#pragma omp taskwait // all\n}\n"),
              HasSubstr("{ ompc_begin(); ompc_require(tasklet_wait_all()); }\n"));
}

TEST(Translate, AllElseStaysAsItIsOnItsLine) {
  const std::string source =
      "#define omp 1\n#pragma once\n// #pragma omp no\n/*\n#pragma omp no\n*/\n"
      "const char *s = \"\\\n#pragma omp no\";\nvoid f(int);\nvoid g(int n) {\n"
      "#pragma omp task \\\n    depend(in: n) /* more */\n  {\n    f(n);\n  }\n  last();\n}\n";
  const std::string text = Translated(source);
  EXPECT_THAT(text, HasSubstr(source.substr(0, source.find("#pragma omp task"))));
  const std::size_t first = text.find("#define omp"), last = text.find("last();");
  EXPECT_EQ(
      std::count(text.begin() + static_cast<long>(first), text.begin() + static_cast<long>(last),
                 '\n'),
      std::count(source.begin(), source.begin() + static_cast<long>(source.find("last();")), '\n'));
  EXPECT_THAT(text, HasSubstr("#line 1 \"program.c\"\n#define omp"));
}

TEST(Translate, ParametersOfAllKindsArePassed) {
  const auto call = [](const std::string& parameters, const std::string& arguments) {
    return Translated("void f(" + parameters + ");\nvoid g(void) {\n#pragma omp task\nf(" +
                      arguments + ");\n}\n");
  };
  EXPECT_THAT(call("void", ""), HasSubstr("  (void)args;\n  f();\n"));
  EXPECT_THAT(call("const double x, unsigned", "1, 2"),
              AllOf(HasSubstr("OMPC_GET(double, arg0,"), HasSubstr("OMPC_GET(unsigned, arg1,")));
  EXPECT_THAT(
      call("struct point p, const size_t", "p, 2"),
      AllOf(HasSubstr("OMPC_GET(struct point, arg0,"), HasSubstr("OMPC_GET(size_t, arg1,")));
  EXPECT_THAT(
      call("int n, float a[n][n]", "h(1, 2), \",\" + 1"),
      AllOf(HasSubstr("OMPC_PUT(ompc_args[0], int, h(1, 2));"),
            HasSubstr("ompc_args[1] = (void *)(\",\" + 1);"), HasSubstr("f(arg0, args[1]);")));
}

TEST(Translate, AnUnknownClauseIsRefusedWithItsLine) {
  const auto refuses = [](const std::string& source, const std::string& what) {
    EXPECT_EQ(Refusal(source), "program.c:3: expected " + what);
  };
  refuses(InFunction("parallel for"), "one of default, shared behind parallel, not for");
  refuses(InFunction("critical"),
          "parallel, single, task, target, taskwait or declare variant behind #pragma omp, not "
          "critical");
  refuses(InFunction("taskwait depend(in:n)"), "no clause behind taskwait, not depend");
  refuses(InFunction("task depend(in:n"), "a ) behind depend(");
  refuses(InFunction("task depend(n)"), "in:, out: or inout: in depend(n)");
  refuses(InFunction("task depend(in:)"), "something in depend's list");
  refuses(InFunction("task depend(in: , n)"), "a variable or an element of an array");
  refuses(InFunction("target map(alloc:n)"),
          "in:, out:, inout:, to:, from: or tofrom: in map(alloc:n)");
  refuses(InFunction("target map(in:A[0:2][:])"),
          "a section in the last brackets alone, not A[0:2][:]");
  refuses(InFunction("target map(in:A[2:])"), "a length behind the : of A[2:]");
  refuses(InFunction("task", "f(1);"), "2 arguments for f, not 1");
  refuses(InFunction("task", "h(1);"),
          "a declaration of h in this file, which says how its arguments are passed");
  refuses("void f(int, ...);\nvoid g(void) {\n#pragma omp task\nf(1); }",
          "pointers and scalars as the parameters of f");
  refuses("\n\n#pragma omp declare variant(f) match(device=(x))\nvoid h(void);",
          "declare variant(FUNCTION) match(context=(target) device=(DEVICE))");
  refuses("\n\n#pragma omp declare variant(f) match(context=(target) device=(x))\nint h;",
          "the variant's declaration behind declare variant");
  const std::string call = "program.c:4: expected a call, f(...), as all that a task does";
  EXPECT_EQ(Refusal(InFunction("task", "x = f(a, n);")), call);
  EXPECT_EQ(Refusal(InFunction("task", "{ f(a, n); f(a, n); }")), call);
  EXPECT_EQ(Refusal(InFunction("task", "for (;;) f(a, n);")), call);
  EXPECT_EQ(Refusal(InFunction("task", "{ }")), call);
  EXPECT_EQ(Refusal("void g(void) {\n#pragma omp parallel\n"), "program.c:3: expected a }");
}

}  // namespace
}  // namespace taskrt
