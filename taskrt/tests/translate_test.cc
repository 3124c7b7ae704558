// What the OpenMP translator makes of tasks and targets, what it leaves, and what it refuses.
#include "taskrt/ompc/translate/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_THAT(text,
              HasSubstr("static void ompc_task_1(void **ompc_args) {\n  (void)ompc_args;\n"
                        "  float **A;\n"
                        "  __builtin_memcpy((void *)&A, ompc_args[0], sizeof A);\n  (void)A;\n"
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
              AllOf(HasSubstr("int (*ompc_at_x) = ompc_args[1];"), HasSubstr("int y[2];\n"),
                    HasSubstr("{ (*ompc_at_x) = y[0] + s.x + p->x + n; }")));
  EXPECT_THAT(
      in_function("private(x) default(shared)"),
      AllOf(HasSubstr("  int x;\n  (void)x;\n"), HasSubstr("int (*ompc_at_y)[2] = ompc_args[1];"),
            HasSubstr("{ x = (*ompc_at_y)[0] + s.x + p->x + (*ompc_at_n); }")));
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
  EXPECT_THAT(text, HasSubstr("(*ompc_at_x) = y;"));
}

TEST(Translate, ANameThatABlockDeclaresAgainIsAnotherVariable) {
  const std::string text = Translated(
      "void g(void) {\n  int x = 0, i;\n#pragma omp task shared(x, i)\n  {\n    x = 1;\n"
      "    { long x = 2; x++; }\n    for (int i = 0; i < 2; i++) x += i;\n    x++;\n  }\n}\n");
  EXPECT_THAT(
      text, AllOf(HasSubstr("{ long x = 2; x++; }"),
                  HasSubstr("for (int i = 0; i < 2; i++) (*ompc_at_x) += i;\n    (*ompc_at_x)++;"),
                  Not(HasSubstr("ompc_at_i"))));
}

TEST(Translate, TasksInTasksAreFunctionsOfTheirOwn) {
  const std::string text = Translated(
      "long fib(int n) {\n  long x, y;\n  if (n < 2) return n;\n#pragma omp task shared(x)\n"
      "  {\n#pragma omp task\n    x = fib(n - 1);\n  }\n  y = fib(n - 2);\n#pragma omp taskwait\n"
      "  return x + y;\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("static void ompc_task_1(void **args);\n"
                                    "static void ompc_task_2(void **args);\n"),
                          HasSubstr("(*ompc_at_x) = fib(n - 1);"),
                          HasSubstr("ompc_args[] = {(void *)&(n), (void *)&((*ompc_at_x))};")));
}

TEST(Translate, ClausesOfTasksAreFieldsOfTheirCreation) {
  EXPECT_THAT(
      Translated(InFunction("task priority(n) if(task: n > 1) final(n > 2) untied mergeable")),
      AllOf(HasSubstr("if (!(n > 1)) ompc_task_run(ompc_task_1, ompc_args, !!(n > 2)); else "),
            HasSubstr(", .priority = (n), .is_final = !!(n > 2)})")));
  EXPECT_THAT(Translated(InFunction("task if(n > 1) depend(in: n)")),
              AllOf(HasSubstr(", .is_undeferred = !(n > 1)})"), Not(HasSubstr("ompc_task_run"))));
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

TEST(Translate, WhatHasNoTaskOfItsOwnIsACall) {
  const auto becomes = [](const std::string& words, const std::string& text) {
    EXPECT_THAT(Translated(InFunction(words)), HasSubstr(text)) << words;
  };
  becomes("taskwait // all", "{ ompc_require(ompc_task_wait()); }\n");
  becomes("barrier", "{ ompc_barrier(); }\n");
  becomes("taskyield", "ompc_require(ompc_task_yield());");
  becomes("taskwait depend(in:n)", "ompc_require(ompc_task_wait_for(1, ompc_in, 0, NULL));");
  becomes("taskgroup",
          "ompc_require(ompc_group_begin());\nf(a, n); ompc_require(ompc_group_end());");
  becomes("critical(one)",
          "{ ompc_critical_begin(&ompc_section_one, \"one\");\nf(a, n); "
          "ompc_critical_end(&ompc_section_one); }");
  EXPECT_THAT(Translated(InFunction("critical(one)")),
              HasSubstr("\n__attribute__((weak)) void *ompc_section_one;\n#line 1"));
  becomes("master", "{ if (ompc_member() == 0) {\nf(a, n); } }");
  becomes("masked filter(n)", "{ if (ompc_member() == (n)) {\nf(a, n); } }");
  becomes("ordered", "{ ompc_ordered_begin();\nf(a, n); ompc_ordered_end(); }");
  EXPECT_THAT(Translated("#include <omp.h>\nint x;\n"),
              HasSubstr("#line 1 \"program.c\"\n#include \"taskrt/ompc/omp_library.h\"\nint x;"));
}

TEST(Translate, AnAtomicStatementsExpressionIsComputedBefore) {
  const auto becomes = [](const std::string& statement, const std::string& text) {
    EXPECT_THAT(Translated(InFunction("atomic", statement)), HasSubstr(text)) << statement;
  };
  const std::string section =
      ", ompc_critical_begin(&ompc_section_0atomic, \"0atomic\");, "
      "ompc_critical_end(&ompc_section_0atomic);";
  const std::string changes = "OMPC_ATOMIC_CHANGE(__ATOMIC_ACQ_REL" + section;
  becomes("a[f(n)] += g(n) == 1;",
          "{ OMPC_OPERAND_TYPE(g(n) == 1) ompc_value = g(n) == 1; OMPC_ATOMIC_PLACE(a[f(n)]); "
          "OMPC_ATOMIC_FETCH(add, ompc_value, __ATOMIC_ACQ_REL) " +
              changes + ", ompc_new += ompc_value;) }");
  becomes("n++;", "OMPC_ATOMIC_FETCH(add, 1, __ATOMIC_ACQ_REL) " + changes + ", ompc_new++;) }");
  // No operand of the other operator.
  becomes("n = n * a[0] + 1;",
          "{ OMPC_ATOMIC_PLACE(n); " + changes + ", ompc_new = ompc_new * a[0] + 1;) }");
  becomes("n = a[0] * 2 + n;",
          "ompc_value = a[0] * 2; OMPC_ATOMIC_PLACE(n); OMPC_ATOMIC_FETCH(add,");
  becomes("if (n < 3) n = 3;", changes + ", if (ompc_new < 3) ompc_new = 3;) }");
  becomes("if (a[0] == n) a[0] = 3;", changes + ", if (ompc_new == n) ompc_new = 3;) }");
  EXPECT_THAT(Translated(InFunction("atomic read seq_cst", "n = a[0];")),
              HasSubstr("{ OMPC_ATOMIC_PLACE(a[0]); OMPC_ATOMIC_LOAD(__ATOMIC_SEQ_CST" + section +
                        ") n = ompc_old; }"));
  EXPECT_THAT(Translated(InFunction("atomic capture", "{ n = a[1]; a[1] = a[0]; }")),
              HasSubstr("{ n = ompc_new; ompc_new = ompc_value; })"));
  EXPECT_EQ(Refusal(InFunction("atomic", "n = n + n * g(n);")),
            "program.c:3: expected VARIABLE OPERATOR= EXPRESSION behind atomic where it calls, or "
            "changes another variable");
  EXPECT_THAT(Refusal(InFunction("atomic", "n = a[n++] - n;")), HasSubstr("changes another"));
  EXPECT_EQ(Refusal(InFunction("atomic", "a[0] = *a + 1;")),
            "program.c:3: expected VARIABLE = VARIABLE OPERATOR EXPRESSION behind atomic");
  EXPECT_EQ(Refusal(InFunction("atomic", "g(n);")),
            "program.c:3: expected an assignment, ++ or -- of a variable behind atomic");
  becomes("n = n + m++;", "ompc_value = m++; OMPC_ATOMIC_PLACE(n); OMPC_ATOMIC_FETCH(add,");
  EXPECT_THAT(Translated(InFunction("atomic capture", "{ n = (a[1]); (a[1]) = a[0]; }")),
              HasSubstr("OMPC_ATOMIC_PLACE(a[1]);"));
  EXPECT_THAT(Translated(InFunction("atomic capture", "a[n++] = m++;")),
              HasSubstr("*ompc_kept = &(a[n++]); OMPC_ATOMIC_PLACE(m);"));
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
  const std::string known =
      "a directive behind #pragma omp that ompc --constructs lists as one that runs, not ";
  for (const char* const words : {"declare mapper", "dispatch", "interop", "no_such"}) {
    const std::string name(words);
    refuses(InFunction(words), known + name.substr(0, name.find('(')));
  }
  refuses(InFunction("for parallel"), known + "for parallel");
  refuses(InFunction("distribute for"), known + "distribute for");
  refuses(InFunction("taskwait nowait"), "one of depend behind taskwait, not nowait");
  refuses(InFunction("task copyin(n)"),
          "one of default, depend, detach, final, firstprivate, if, in_reduction, priority, "
          "private, replayable, shared, "
          "affinity, allocate, mergeable, untied behind task, not copyin");
  refuses(InFunction("barrier nowait"), "no clause behind barrier, not nowait");
  refuses(InFunction("section"), "section in a block of sections");
  refuses(InFunction("parallel reduction(no:n)"), "a declare reduction of no");
  refuses(InFunction("parallel copyin(n)"), "a threadprivate variable in copyin, not n");
  refuses(InFunction("target defaultmap(none)", "{ n = 1; }"),
          "a map of n, as defaultmap(none) has it");
  refuses(InFunction("threadprivate(n)"), "a declaration of n in this scope, for threadprivate");
  refuses(InFunction("task depend(in:n"), "a ) behind depend(");
  refuses(InFunction("task depend(n)"),
          "in:, out:, inout:, mutexinoutset:, inoutset: or depobj: in depend(n)");
  refuses(InFunction("task depend(in:)"), "something in depend's list");
  refuses(InFunction("task depend(in: , n)"), "a variable or an element of an array");
  refuses(InFunction("target map(mapper(m), to:n)"),
          "to:, from:, tofrom:, alloc:, release: or delete: in map(mapper(m), to:n)");
  refuses(InFunction("target map(in:A[0:2][:])"),
          "a section in the last brackets alone of A, whose elements are pointers to rows");
  refuses(InFunction("target map(in:A[2:])"), "a length behind the : of A[2:]");
  refuses(InFunction("target", "f(1);"), "2 arguments for f, not 1");
  refuses("void f(int, ...);\nvoid g(void) {\n#pragma omp target\nf(1); }",
          "pointers and scalars as the parameters of f");
  refuses("#define M(X) X\nvoid g(void) {\n#pragma omp target map(s.x[:2])\n{ s.x[0] = 1; } }",
          "a variable or a part of one in the map of a target whose statement is no call, not s.x");
  EXPECT_EQ(Refusal("void g(int n) {\n#pragma omp target\n  {\n#pragma omp task depend(in:n)\n    "
                    "n = 1;\n  }\n}\n"),
            "program.c:4: expected no task with depend inside of a target, whose statement runs on "
            "a device");
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
  EXPECT_EQ(Refusal("void g(void) {\n#pragma omp parallel\n"),
            "program.c:1: expected a } for the { of this line");
}

}  // namespace
}  // namespace taskrt
