// What the OpenMP translator makes of dependencies and maps whose lists are known at run time, or
// whose sections have several dimensions, of taskgraph, and of names that are its own, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "taskrt/ompc/omp_depend.h"
#include "taskrt/ompc/omp_library.h"
#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TranslateLists, AnIteratorIsALoopThatFillsAListWhichIsFreed) {
  const std::string text = Translated(
      InFunction("task depend(iterator(i = 1 : n, long j = n : 0 : -2), in : a[i + j])"));
  EXPECT_THAT(
      text, HasSubstr("struct ompc_list ompc_in = {0}, ompc_out = {0}; { int ompc_begin0 = 1; "
                      "int ompc_end0 = n; const long ompc_step0 = 1; for (int i = ompc_begin0; "
                      "ompc_step0 > 0 ? i < ompc_end0 : i > ompc_end0; i += ompc_step0) { "
                      "{ long ompc_begin1 = n; long ompc_end1 = 0; const long ompc_step1 = -2; "));
  EXPECT_THAT(text, HasSubstr("ompc_list_add(&ompc_in, OMPC_BLOCK(a[i + j])); } } } }"));
  EXPECT_THAT(text,
              HasSubstr(".in_count = ompc_in.count, .in_data = ompc_in.data, .out_count = "
                        "ompc_out.count, .out_data = ompc_out.data})); ompc_list_free(&ompc_in); "
                        "ompc_list_free(&ompc_out); }"));
  EXPECT_THAT(Translated(InFunction("task depend(in : a[0])")), Not(HasSubstr("ompc_list")));
}

TEST(TranslateLists, AnIteratorHidesAVariableOfItsName) {
  EXPECT_THAT(Translated("void g(int n) {\n  int i, x[4];\n#pragma omp parallel\n"
                         "#pragma omp task depend(iterator(i = i : n), out : x[i])\n  i = 1;\n}\n"),
              AllOf(HasSubstr("int ompc_begin0 = (*ompc_at_i);"),
                    HasSubstr("OMPC_BLOCK((*ompc_at_x)[i])"), HasSubstr("(*ompc_at_i) = 1;")));
}

TEST(TranslateLists, AnObjectOfDepobjIsADependency) {
  const auto becomes = [](const std::string& words, const std::string& text) {
    EXPECT_THAT(
        Translated("void g(omp_depend_t *o, int *p, int n) {\n#pragma omp " + words + "\n;\n}\n"),
        HasSubstr(text))
        << words;
  };
  becomes("depobj(o[1]) depend(inout : n)", "ompc_object_set(&(o[1]), OMPC_BLOCK(n), OMPC_INOUT);");
  becomes("depobj(*o) depend(mutexinoutset : p)",
          "ompc_object_set(&(*o), (void *)&(p), OMPC_INOUT);");
  becomes("depobj(*o) update(in)", "ompc_object_update(&(*o), OMPC_IN);");
  becomes("depobj(*o) destroy", "ompc_object_set(&(*o), NULL, 0);");
  becomes("task depend(depobj : o[0]) depend(out : n)",
          "ompc_list_add(&ompc_out, OMPC_BLOCK(n)); ompc_list_add_object(&ompc_in, &ompc_out, "
          "&(o[0]));");
  becomes("taskwait depend(depobj : *o)",
          "ompc_task_wait_for(ompc_in.count, ompc_in.data, ompc_out.count, ompc_out.data)); "
          "ompc_list_free");
}

TEST(TranslateLists, SectionsOfSeveralDimensionsAreOnePieceOfMemory) {
  const auto in = [](const std::string& words) {
    return Translated("void g(float q[][8], int n) {\n  int b[4][8];\n#pragma omp " + words +
                      "\n  q[0][0] = b[0][0];\n}\n");
  };
  EXPECT_THAT(in("task depend(in : b[n : 2][3 : n])"), HasSubstr("{OMPC_PART((b)[n], 3)}"));
  EXPECT_THAT(in("target map(q[1 : n][0 : 8])"),
              HasSubstr("OMPC_MAP_SPAN(q, (q)[1][0], (q)[(1) + (n) - 1][(0) + (8) - 1], "
                        "1 * (n) * OMPC_IS_ROW((q)[0]) * (8), 2)"));
  EXPECT_THAT(in("target map(to : b[1 :][:])"), HasSubstr("* (OMPC_LENGTH(b) - (1)) *"));
  EXPECT_THAT(in("target map(to : b[2 :])"),
              HasSubstr("OMPC_MAP_PART(b, 2, (OMPC_LENGTH(b) - (2)), 0)"));
}

TEST(TranslateLists, NamesOfTheProgramAndOfTheTranslatorDoNotHideEachOther) {
  const std::string text = Translated(
      "void g(void) {\n  long event, args;\n#pragma omp parallel\n#pragma omp task detach(event) "
      "shared(args)\n  args = 1;\n}\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("(*ompc_at_event) = (__typeof__((*ompc_at_event)))ompc_event()"),
                    HasSubstr("long (*ompc_at_args) = ompc_args[0];")));
}

TEST(TranslateLists, AnEventIsAFieldOfATaskWithDependencies) {
  EXPECT_THAT(Translated(InFunction("task detach(n) depend(out : a[0])")),
              HasSubstr(", .event = (__UINTPTR_TYPE__)(n)})"));
  EXPECT_THAT(Translated(InFunction("task detach(n)")), Not(HasSubstr(".event")));
}

TEST(TranslateLists, ATaskgraphKnowsTheVariablesOutsideOfItsBlock) {
  const std::string text = Translated(
      "int k;\nvoid g(float *a, int n, int m) {\n#pragma omp taskgraph graph_id(n + 1) if(m) "
      "graph_reset(n > 2) nogroup\n  {\n    int i = 1;\n#pragma omp task depend(in : a[m]) "
      "depend(out : k) firstprivate(saved : i) replayable(n)\n    a[m] = n + k + i;\n  }\n}\n");
  EXPECT_THAT(
      text, AllOf(HasSubstr("static char ompc_construct_1;\n"),
                  HasSubstr("void *ompc_places[] = {(void *)&(a), (void *)&(n), (void *)&(m), "
                            "(void *)&(k)};"),
                  HasSubstr("const int ompc_watched[] = {OMPC_IS_PLAIN_POINTER(a), 0, 1, "
                            "OMPC_IS_PLAIN_POINTER(k)};"),
                  HasSubstr("{.construct = &ompc_construct_1, .id = (long)(n + 1), .is_reset = "
                            "!!(n > 2), .is_plain = !(m), .nogroup = 1, .count = 4,"),
                  HasSubstr("const int ompc_ran = ompc_graph_begin(&ompc_graph); if (ompc_ran) {"),
                  HasSubstr("} ompc_graph_end(&ompc_graph, ompc_ran); }"),
                  HasSubstr(".saved = 8UL, .in_count"), HasSubstr(".is_once = !(n)")));
}

TEST(TranslateLists, WhatIsNotHereIsRefusedByName) {
  const auto refuses = [](const std::string& words, const std::string& what) {
    EXPECT_EQ(Refusal(InFunction(words)), "program.c:3: expected " + what);
  };
  const std::string kinds = "in:, out:, inout:, mutexinoutset:, inoutset: or depobj: in depend(";
  refuses("task depend(source)", kinds + "source)");
  refuses("task depend(sink : n - 1)", kinds + "sink : n - 1)");
  refuses("task depend(iterators(i = 0 : n), in : a[i])",
          kinds + "iterators(i = 0 : n), in : a[i])");
  const std::string form = "NAME = BEGIN:END or NAME = BEGIN:END:STEP in iterator, not ";
  refuses("task depend(iterator(i = 0), in : a[i])", form + "i = 0");
  refuses("task depend(iterator(i), in : a[i])", form + "i");
  refuses("target map(iterator(i = 0 : n), to : A[i])",
          "to:, from:, tofrom:, alloc:, release: or delete: in "
          "map(iterator(i = 0 : n), to : A[i])");
  refuses("task depend(inout : omp_all_memory)", "no omp_all_memory in depend");
  refuses("task_iteration depend(in : a[0])", "task_iteration at the begin of a taskloop's body");
  refuses("depobj(n)", "depobj(OBJECT) and one of depend, update and destroy");
  refuses("depobj(n) depend(in : a[0], a[1])", "one variable or section in the depend of depobj");
  refuses("depobj(n) update(all)", "in, out, inout, mutexinoutset or inoutset in update(all)");
  refuses("target map(A[0 : n][0 : n])",
          "a section in the last brackets alone of A, whose elements are pointers to rows");
  refuses("target map(A[0 : n][1])", "sections in the last brackets, not A[0 : n][1]");
  refuses("target map(a[0 : n : 2])", "a section without a stride, not a[0 : n : 2]");
  EXPECT_EQ(Refusal("void g(int n) {\n#pragma omp target\n  {\n#pragma omp taskgraph\n    n = 1;\n"
                    "  }\n}\n"),
            "program.c:4: expected no taskgraph inside of a target, whose statement runs on a "
            "device");
}

TEST(TranslateLists, AScatteredSectionAndAnEmptyObjectEndTheProgramByName) {
  int rows[4][8] = {};
  EXPECT_EXIT(ompc_map_span(rows, &rows[0][0], &rows[1][2], 4 * sizeof(int), 2),
              testing::ExitedWithCode(2), "its inner dimensions are not whole");
  EXPECT_EQ(ompc_map_span(rows, &rows[0][0], &rows[0][0], 0, 2), nullptr);
  omp_depend_t object = {};
  ompc_list in = {}, out = {};
  EXPECT_EXIT(ompc_list_add_object(&in, &out, &object), testing::ExitedWithCode(2),
              "the object has no dependency");
}

}  // namespace
}  // namespace taskrt
