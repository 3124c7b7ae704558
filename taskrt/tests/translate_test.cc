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

TEST(Translate, ATaskIsAFunctionThatGetsItsVariables) {
  const std::string text =
      Translated(InFunction("task depend(in:A[0], A[1]) depend(out:A[2])", "{ f(A[2], n + 1); }"));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("void *ompc_args[] = {(void *)&(A), (void *)&(n)};"),
            HasSubstr("const size_t ompc_copied[] = {sizeof((void)0, A), sizeof((void)0, n)};"),
            HasSubstr("void *ompc_in[] = {OMPC_BLOCK(A[0]), OMPC_BLOCK(A[1])};"),
            HasSubstr("void *ompc_out[] = {OMPC_BLOCK(A[2])};"),
            HasSubstr(".name = \"f\", .function = ompc_task_1, .args_count = 2, .args = ompc_args, "
                      ".copied = ompc_copied, .in_count = 2, .in_data = ompc_in, .out_count = 1, "
                      ".out_data = ompc_out})")));
  EXPECT_THAT(text, HasSubstr("static void ompc_task_1(void **args) {\n  (void)args;\n"
                              "  float **A;\n"
                              "  __builtin_memcpy((void *)&A, args[0], sizeof A);\n  (void)A;\n"
                              "  int n;\n"));
  EXPECT_THAT(text, HasSubstr("{ f(A[2], n + 1); }\n}\n"));
}

TEST(Translate, InOutIsBoth) {
  const std::string text = Translated(InFunction("task depend(inout:A[0])"));
  EXPECT_THAT(text, HasSubstr(".in_count = 1, .in_data = ompc_in, .out_count = 1, "));
}

TEST(Translate, ASharedVariableIsReachedByItsPlaceAndOthersAreCopied) {
  const auto in_function = [](const std::string& words) {
    return Translated("void g(int n) {\n  int x = 0, y[2] = {0};\n#pragma omp task " + words +
                      "\n  { x = y[0] + s.x + p->x + n; }\n}\n");
  };
  EXPECT_THAT(in_function("shared(x)"),
              AllOf(HasSubstr("int (*ompc_x) = args[1];"), HasSubstr("int y[2];\n"),
                    HasSubstr("{ (*ompc_x) = y[0] + s.x + p->x + n; }")));
  EXPECT_THAT(in_function("private(x) default(shared)"),
              AllOf(HasSubstr("  int x;\n  (void)x;\n"), HasSubstr("int (*ompc_y)[2] = args[1];"),
                    HasSubstr("{ x = (*ompc_y)[0] + s.x + p->x + (*ompc_n); }")));
  EXPECT_EQ(Refusal("void g(int n) {\n  int x;\n#pragma omp task default(none) shared(x)\n"
                    "  x = n;\n}\n"),
            "program.c:3: expected shared, firstprivate or private for n, as default(none) has it");
  EXPECT_EQ(Refusal("void g(void) {\n#pragma omp task shared(z)\n  z = 1;\n}\n"),
            "program.c:2: expected a declaration of z in this file, for shared");
}

TEST(Translate, VariablesFromOutsideOfAParallelRegionAreSharedByItsTasks) {
  const std::string text = Translated(
      "void g(void) {\n  int x = 0;\n#pragma omp parallel\n  {\n    int y = 0;\n"
      "#pragma omp task\n    x = y;\n  }\n}\n");
  EXPECT_THAT(text, HasSubstr("(*ompc_x) = y;"));
}

TEST(Translate, ANameThatABlockDeclaresAgainIsAnotherVariable) {
  const std::string text = Translated(
      "void g(void) {\n  int x = 0, i;\n#pragma omp task shared(x, i)\n  {\n    x = 1;\n"
      "    { long x = 2; x++; }\n    for (int i = 0; i < 2; i++) x += i;\n    x++;\n  }\n}\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("{ long x = 2; x++; }"),
                    HasSubstr("for (int i = 0; i < 2; i++) (*ompc_x) += i;\n    (*ompc_x)++;"),
                    Not(HasSubstr("ompc_i"))));
}

TEST(Translate, TasksInTasksAreFunctionsOfTheirOwn) {
  const std::string text = Translated(
      "long fib(int n) {\n  long x, y;\n  if (n < 2) return n;\n#pragma omp task shared(x)\n"
      "  {\n#pragma omp task\n    x = fib(n - 1);\n  }\n  y = fib(n - 2);\n#pragma omp taskwait\n"
      "  return x + y;\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("static void ompc_task_1(void **args);\n"
                                    "static void ompc_task_2(void **args);\n"),
                          HasSubstr("(*ompc_x) = fib(n - 1);"),
                          HasSubstr("ompc_args[] = {(void *)&(n), (void *)&((*ompc_x))};")));
}

TEST(Translate, ClausesOfTasksAreFieldsOfTheirCreation) {
  EXPECT_THAT(
      Translated(InFunction("task priority(n) if(task: n > 1) final(n > 2) untied mergeable")),
      HasSubstr(", .priority = (n), .is_undeferred = !(n > 1), .is_final = !!(n > 2)})"));
}

TEST(Translate, ATaskloopIsATaskForEachPartOfItsIterations) {
  const auto loop = [](const std::string& words, const std::string& head) {
    return InFunction("taskloop " + words, "for (" + head + ") f(A[i], n);");
  };
  EXPECT_THAT(Translated(loop("grainsize(4)", "int i = 1; i < n; i += 2")),
              AllOf(HasSubstr("ompc_require(ompc_group_begin()); int ompc_lower = 1; "),
                    HasSubstr("long ompc_step = (2); "),
                    HasSubstr("OMPC_UP_TO(ompc_lower, ompc_upper, ompc_step, 0)"),
                    HasSubstr("ompc_loop_tasks(ompc_count, 4, 0)"),
                    HasSubstr("  i = ompc_lower + ompc_k * ompc_step;\n"),
                    HasSubstr("ompc_require(ompc_group_end()); }")));
  EXPECT_THAT(Translated(loop("num_tasks(n) nogroup", "int i = n; 0 <= i; --i")),
              AllOf(HasSubstr("OMPC_DOWN_TO(ompc_lower, ompc_upper, ompc_step, 1)"),
                    HasSubstr("ompc_loop_tasks(ompc_count, 0, n)"), Not(HasSubstr("group_begin"))));
  const std::string wrong =
      "program.c:4: expected for (i = LOWER; i < UPPER; i += STEP) behind taskloop, of these parts "
      "alone";
  EXPECT_EQ(Refusal(loop("", "int i = 0; i < n; i *= 2")), wrong);
  EXPECT_EQ(Refusal(loop("", "int i = 0, j = 0; i < n; ++i")), wrong);
  EXPECT_EQ(Refusal(loop("", "int i = 0; f(i); ++i")), wrong);
  EXPECT_EQ(Refusal(InFunction("taskloop")), wrong);
}

TEST(Translate, MapsHaveTheirSectionsAndDirections) {
  const std::string text = Translated(InFunction(
      "target map(in:A[0][:n]) map(from:A[1][2:n*n]) map(tofrom:A[2][:], x) map(y) map(alloc:z) "
      "nowait"));
  EXPECT_THAT(text, HasSubstr("{OMPC_MAP_PART(A[0], 0, n, 0), OMPC_MAP_PART(A[1], 2, n*n, 1), "
                              "OMPC_MAP(A[2], 2), OMPC_MAP(x, 2), OMPC_MAP(y, 2), "
                              "OMPC_MAP(z, OMPC_SCRATCH), OMPC_MAP_PRESENT(ompc_args[0])};"));
  EXPECT_THAT(text, HasSubstr(".map_count = 7, .maps = ompc_maps})"));
}

TEST(Translate, ATargetsCallGetsItsArgumentsWhenItIsCreated) {
  const std::string text = Translated(InFunction("target map(tofrom:a[:n])"));
  EXPECT_THAT(text, AllOf(HasSubstr("ompc_args[0] = (void *)(a);"),
                          HasSubstr("OMPC_PUT(ompc_args[1], unsigned int, n);")));
  EXPECT_THAT(text, HasSubstr("static void ompc_call_f(void **args) {\n"
                              "  OMPC_GET(unsigned int, arg1, args[1]);\n"
                              "  f(args[0], arg1);\n}\n"));
  // The value of n when it runs is another than now.
  EXPECT_THAT(Translated(InFunction("target map(tofrom:n)")), Not(HasSubstr("OMPC_PUT")));
}

TEST(Translate, ATargetThatIsNoCallIsAFunctionOfItsVariablesPlaces) {
  const std::string text = Translated(
      "static int table[4];\nvoid g(float *p, int n) {\n  float sum = 0;\n"
      "#pragma omp target map(to:p[0:n]) map(sum)\n  for (int i = 0; i < n; ++i) sum += p[i] + "
      "table[i];\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("{OMPC_PLACE(table), OMPC_PLACE(p), OMPC_PLACE(n), "
                                    "OMPC_PLACE(sum)};"),
                          HasSubstr("{OMPC_COPIED(table), 0, OMPC_COPIED(n), 0};"),
                          HasSubstr("OMPC_IMPLIED_MAP(table), OMPC_IMPLIED_MAP(n)};"),
                          HasSubstr("float *(*ompc_p) = 0;\n  ompc_p = OMPC_AT(*ompc_p, args[1]);"),
                          HasSubstr("(*ompc_sum) += (*ompc_p)[i] + (*ompc_table)[i];")));
}

TEST(Translate, ATargetWithoutAsyncOrNowaitWaits) {
  EXPECT_THAT(Translated(InFunction("target map(in:A[0][:n])")), HasSubstr(".is_undeferred = 1})"));
  for (const char* const word : {"async", "nowait"}) {
    EXPECT_THAT(Translated(InFunction(std::string("target map(in:A[0][:n]) ") + word)),
                Not(HasSubstr("is_undeferred")));
  }
}

TEST(Translate, ANowaitMayHaveACondition) {
  EXPECT_THAT(Translated(InFunction("target nowait(n > 1)")),
              HasSubstr(", .is_undeferred = !(n > 1)})"));
  EXPECT_EQ(Refusal(InFunction("single nowait(n)")),
            "program.c:3: expected nowait without a condition behind single");
}

TEST(Translate, UnitsAndWorkItemsChangeATargetsKernel) {
  EXPECT_THAT(Translated(InFunction("target map(a[:n]) num_units(2) work_item(n, 4)")),
              HasSubstr("ompc_kernel_with(ompc_kernel_or(\"f\", ompc_call_f), 2, n, 4, 0)"));
  EXPECT_EQ(Refusal(InFunction("target work_item()")),
            "program.c:3: expected one to three numbers in work_item");
  EXPECT_THAT(Translated(InFunction("target if(n > 9)")),
              HasSubstr("(n > 9) ? ompc_kernel_or(\"f\", ompc_call_f) : NULL"));
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
  EXPECT_THAT(Translated(variants + InFunction("task")), HasSubstr("\nf(a, n);\n}\n"));
  EXPECT_EQ(Refusal(variants + InFunction("target device(cpu)")),
            "program.c:7: expected a declare variant of f for device cpu");
  EXPECT_EQ(Refusal(variants + InFunction("target")),
            "program.c:7: expected device(...), as there are several variants of f");
  EXPECT_THAT(Translated(InFunction("target")), HasSubstr("ompc_kernel_or(\"f\", ompc_call_f)"));
}

TEST(Translate, DataRegionsBeginAndEndAroundTheirStatement) {
  EXPECT_THAT(Translated(InFunction("target data map(to:A[0][:n]) if(n)")),
              AllOf(HasSubstr("void *ompc_data[] = {OMPC_MAP_PART(A[0], 0, n, 0)};"),
                    HasSubstr("ompc_count = !(n) ? 0 : (int)"),
                    HasSubstr("ompc_require(ompc_data_begin(ompc_count, ompc_data));\nf(a, n); "
                              "ompc_require(ompc_data_end(ompc_count, ompc_data, 0)); }")));
  EXPECT_THAT(Translated(InFunction("target enter data map(alloc:A[0][:n])")),
              HasSubstr("ompc_data_begin((int)"));
  EXPECT_THAT(
      Translated(InFunction("target exit data map(delete:A[0]) depend(in:n)")),
      AllOf(HasSubstr("ompc_task_wait_for(1, ompc_in, 0, NULL)"), HasSubstr("ompc_data, 1)")));
  EXPECT_THAT(Translated(InFunction("target update to(A[0]) from(A[1])")),
              AllOf(HasSubstr("{OMPC_MAP(A[0], 0)}"), HasSubstr("{OMPC_MAP(A[1], 1)}")));
  EXPECT_EQ(Refusal(InFunction("target enter data map(from:A[0])")),
            "program.c:3: expected to, tofrom or alloc in a map of target enter data");
  EXPECT_EQ(Refusal(InFunction("target exit data map(alloc:A[0])")),
            "program.c:3: expected from, tofrom, release or delete in a map of target exit data");
  EXPECT_EQ(Refusal(InFunction("target data map(release:A[0])")),
            "program.c:3: expected to, from, tofrom or alloc in a map of target data");
}

TEST(Translate, AVariableOfDeclareTargetIsTheHosts) {
  for (const char* const words :
       {"#pragma omp declare target\nint table[4];\n#pragma omp end declare target\n",
        "int table[4];\n#pragma omp declare target to(table)\n"}) {
    EXPECT_THAT(Translated(std::string(words) + "void g(void) {\n#pragma omp target map(table)\n"
                                                "  table[0] = 1;\n}\n"),
                AllOf(HasSubstr("\n  table[0] = 1;\n}"), Not(HasSubstr("ompc_maps"))));
  }
}

TEST(Translate, AParallelRegionIsItsStatementAndThenAllIsWaitedFor) {
  EXPECT_THAT(Translated("void g(void) {\n#pragma omp parallel\n  if (x) { y(\"}\"); }\n  else\n"
                         "    for (;;) z();\n  last();\n}\n"),
              HasSubstr("void g(void) {\n { ompc_begin();\n  if (x) { y(\"}\"); }\n  else\n"
                        "    for (;;) z(); ompc_require(ompc_task_wait()); }\n  last();"));
  EXPECT_THAT(
      Translated(
          "void g(void) {\n#pragma omp parallel\n#pragma omp single nowait\n  { y(); }\n}\n"),
      HasSubstr(" { ompc_begin();\n\n  { y(); } ompc_require(ompc_task_wait()); }\n"));
  EXPECT_THAT(Translated("void g(void) {\n#pragma omp single\n  { y(); }\n}\n"),
              HasSubstr("{ y(); } ompc_require(ompc_task_wait()); }"));
  EXPECT_THAT(
      Translated("void g(void) {\n  int x, z;\n#pragma omp parallel private(x) "
                 "firstprivate(z)\n  y(x, z);\n}\n"),
      AllOf(HasSubstr("__typeof__(z) *ompc_first_z = &(z); { int x; (void)x; int z; "
                      "__builtin_memcpy((void *)&z, (const void *)ompc_first_z, sizeof z);"),
            HasSubstr("ompc_require(ompc_task_wait()); } }")));
}

TEST(Translate, WhatHasNoTaskOfItsOwnIsACall) {
  const auto becomes = [](const std::string& words, const std::string& text) {
    EXPECT_THAT(Translated(InFunction(words)), HasSubstr(text)) << words;
  };
  becomes("taskwait // all", "{ ompc_begin(); ompc_require(ompc_task_wait()); }\n");
  becomes("barrier", "{ ompc_begin(); ompc_require(ompc_task_wait()); }\n");
  becomes("taskyield", "ompc_require(ompc_task_yield());");
  becomes("taskwait depend(in:n)", "ompc_require(ompc_task_wait_for(1, ompc_in, 0, NULL));");
  becomes("taskgroup",
          "ompc_require(ompc_group_begin());\nf(a, n); ompc_require(ompc_group_end());");
  becomes("critical(one)",
          "{ ompc_critical_begin(&ompc_section_one, \"one\");\nf(a, n); "
          "ompc_critical_end(&ompc_section_one); }");
  EXPECT_THAT(Translated(InFunction("critical(one)")),
              HasSubstr("\n__attribute__((weak)) void *ompc_section_one;\n#line 1"));
  becomes("master", "\n\nf(a, n);");
  EXPECT_THAT(Translated("#include <omp.h>\nint x;\n"),
              HasSubstr("#line 1 \"program.c\"\n#include \"taskrt/ompc/omp_library.h\"\nint x;"));
}

TEST(Translate, AnAtomicStatementsExpressionIsComputedBefore) {
  const auto becomes = [](const std::string& statement, const std::string& text) {
    EXPECT_THAT(Translated(InFunction("atomic", statement)), HasSubstr(text)) << statement;
  };
  const std::string begin = "ompc_critical_begin(&ompc_section_0atomic, \"0atomic\");",
                    end = "ompc_critical_end(&ompc_section_0atomic); }";
  becomes("a[f(n)] += g(n) == 1;", "{ __typeof__((g(n) == 1)) ompc_value = g(n) == 1; " + begin +
                                       " a[f(n)] += ompc_value; " + end);
  becomes("n++;", begin + "\nn++; " + end);
  becomes("n = a[0];", begin + "\nn = a[0]; " + end);
  EXPECT_EQ(Refusal(InFunction("atomic", "n = n + g(n);")),
            "program.c:3: expected VARIABLE OPERATOR= EXPRESSION behind atomic where it calls");
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
    return Translated("void f(" + parameters + ");\nvoid g(void) {\n#pragma omp target\nf(" +
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
  const std::string known = "a directive of tasks or targets behind #pragma omp, not ";
  for (const char* const words : {"parallel for",
                                  "for",
                                  "sections",
                                  "section",
                                  "simd",
                                  "taskloop simd",
                                  "parallel sections",
                                  "cancel",
                                  "ordered",
                                  "target parallel",
                                  "target teams",
                                  "teams",
                                  "distribute",
                                  "loop",
                                  "threadprivate",
                                  "declare simd",
                                  "declare reduction",
                                  "requires",
                                  "depobj",
                                  "scan"}) {
    const std::string name = words == std::string("declare simd")        ? "declare simd"
                             : words == std::string("declare reduction") ? "declare reduction"
                                                                         : words;
    refuses(InFunction(words), known + name);
  }
  refuses(InFunction("taskwait nowait"), "one of depend behind taskwait, not nowait");
  refuses(InFunction("task in_reduction(+:n)"),
          "one of depend, default, firstprivate, private, shared, if, final, priority, untied, "
          "mergeable, affinity behind task, not in_reduction");
  refuses(InFunction("taskloop collapse(2)"),
          "one of default, firstprivate, private, shared, if, final, priority, untied, mergeable, "
          "grainsize, num_tasks, nogroup behind taskloop, not collapse");
  refuses(InFunction("task depend(iterator(i=0:n), in:A[i])"),
          "in:, out: or inout: in depend(iterator(i=0:n), in:A[i])");
  refuses(InFunction("task depend(in:n"), "a ) behind depend(");
  refuses(InFunction("task depend(n)"), "in:, out: or inout: in depend(n)");
  refuses(InFunction("task depend(in:)"), "something in depend's list");
  refuses(InFunction("task depend(in: , n)"), "a variable or an element of an array");
  refuses(
      InFunction("target map(always, to:n)"),
      "in:, out:, inout:, to:, from:, tofrom:, alloc:, release: or delete: in map(always, to:n)");
  refuses(InFunction("target map(in:A[0:2][:])"),
          "a section in the last brackets alone, not A[0:2][:]");
  refuses(InFunction("target map(in:A[2:])"), "a length behind the : of A[2:]");
  refuses(InFunction("target", "f(1);"), "2 arguments for f, not 1");
  refuses("void f(int, ...);\nvoid g(void) {\n#pragma omp target\nf(1); }",
          "pointers and scalars as the parameters of f");
  refuses("#define M(X) X\nvoid g(void) {\n#pragma omp target map(s.x[:2])\n{ s.x[0] = 1; } }",
          "a variable or a part of one in the map of a target whose statement is no call, not s.x");
  EXPECT_EQ(
      Refusal("void g(int n) {\n#pragma omp target\n  {\n#pragma omp task\n    n = 1;\n  }\n}\n"),
      "program.c:4: expected no directive inside of a target, whose statement runs on a "
      "device, not task");
  const std::string cut =
      "expected a program that is preprocessed (gcc -E -fopenmp), as #if, #else or #endif cuts a "
      "statement";
  const auto cuts = [&](const std::string& statement, int line) {
    EXPECT_EQ(Refusal("void g(int n) {\n#pragma omp task\n" + statement + "\n}\n"),
              "program.c:" + std::to_string(line) + ": " + cut)
        << statement;
  };
  cuts("#if A\n  n = 1;\n#else\n  n = 2;\n#endif", 3);
  cuts("  n =\n# ifdef A\n  1;\n#else\n  2;\n#endif", 4);
  cuts("  {\n#ifndef A\n  }\n#else\n  n = 1; }\n#endif", 4);
  cuts("#if A\n  for (;;)\n#endif\n  n = 1;", 3);
  cuts("  if (n)\n    n = 1;\n#if A\n  else\n    n = 2;\n#endif", 5);
  cuts("  if (n)\n#elif A\n    n = 1;", 4);
  EXPECT_EQ(Refusal("#define TASK _Pragma(\"omp task\")\n"),
            "program.c:1: expected a program that is preprocessed, as it has _Pragma of omp");
  EXPECT_EQ(Refusal("void g(void) {\n  _Pragma(\"omp task\") f();\n}\n"),
            "program.c:2: expected a program that is preprocessed, as it has _Pragma");
  EXPECT_EQ(Refusal("#pragma omp taskwait\n"),
            "program.c:1: expected taskwait inside of a function");
  refuses("\n\n#pragma omp declare variant(f) match(device=(x))\nvoid h(void);",
          "declare variant(FUNCTION) match(context=(target) device=(DEVICE))");
  refuses("\n\n#pragma omp declare variant(f) match(context=(target) device=(x))\nint h;",
          "the variant's declaration behind declare variant");
  EXPECT_EQ(Refusal("void g(void) {\n#pragma omp parallel\n"), "program.c:3: expected a }");
}

}  // namespace
}  // namespace taskrt
