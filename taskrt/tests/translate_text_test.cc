// How the OpenMP translator reads a file's text: where directives may stand, and old definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TranslateText, ADirectiveIsOneHoweverItsLinesAreWritten) {
  for (const std::string line :
       {"#pragma \\\n  omp barrier", "#prag\\\nma omp barrier", "#pragma /* x */ omp barrier",
        "%:pragma omp barrier", "  /* x\n */ # pragma omp barrier", "#pragma omp /* x\n */ barrier",
        "#pragma \\\r\n omp barrier\r", "#pragma omp \\  \nbarrier",
        "#pragma omp barrier // x\\\ny"}) {
    const std::string text = Translated("void g(void) {\n" + line + "\n  h();\n}\n");
    EXPECT_THAT(text, AllOf(HasSubstr("ompc_barrier();"), Not(HasSubstr("pragma")))) << line;
    // All lines are where they were.
    const auto lines = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
    EXPECT_EQ(lines(text), lines(line) + 6) << line;
  }
  EXPECT_THAT(Translated("void g(void) {\n#if 0\n  don't\n#endif\n#pragma omp barrier\n}\n"),
              HasSubstr("ompc_barrier();"));
  EXPECT_THAT(Translated("void g(void) {\n  // x \\\n#pragma omp barrier\n}\n"),
              Not(HasSubstr("ompc_barrier();")));
  EXPECT_THAT(Translated("void g(int *x) <%\n#pragma omp parallel\n  <% x<:1:> = 2; %>\n%>\n"),
              HasSubstr("{  (*ompc_at_x)[ 1]  = 2; }"));
}

TEST(TranslateText, ADirectiveThatWouldBeLeftIsRefused) {
  const std::string place =
      "expected a directive of omp in a place where statements or "
      "declarations are";
  EXPECT_EQ(Refusal("struct s {\n#pragma omp barrier\n  int x;\n};\n"), "program.c:2: " + place);
  EXPECT_EQ(Refusal("int x[] = {1,\n#pragma omp barrier\n2};\n"), "program.c:2: " + place);
  EXPECT_EQ(Refusal("\n?\?=pragma omp barrier\n"), "program.c:2: " + place);
  EXPECT_EQ(Refusal("int x;\n_Pragma(\"omp threadprivate(x)\")\n"),
            "program.c:2: expected a program that is preprocessed, as it has _Pragma of omp");
  const std::string macro =
      "expected a program that is preprocessed (gcc -E -fopenmp), as a macro makes a directive of "
      "omp ";
  EXPECT_EQ(Refusal("#define P(x) _Pragma(#x)\nvoid g(void) {\n  P(omp parallel for)\n  ;\n}\n"),
            "program.c:3: " + macro + "parallel");
  EXPECT_EQ(Refusal("#include \"p.h\"\n#define OMP(x) P(omp x)\n#define TASK P(omp task)\n"),
            "program.c:3: " + macro + "task");
  EXPECT_THAT(Translated("#error in omp parallel\nint omp;\n// omp parallel\n"
                         "int g(void) { return h(\"#pragma omp task\", omp) * omp; }\n"),
              HasSubstr("return h("));
}

TEST(TranslateText, TheParametersOfAnOldDefinitionAreVariables) {
  const std::string text = Translated(
      "int g(a, b, n, p)\n  double *b;\n  struct s *p; char n[3];\n{\n#pragma omp parallel\n"
      "  p->x = a + b[0] + n[1];\n  return 0;\n}\nint after(int c) {\n#pragma omp task\n  "
      "c++;\n}\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("int (*ompc_at_a) = "), HasSubstr("double *(*ompc_at_b) = "),
                    HasSubstr("char *(*ompc_at_n) = "), HasSubstr("struct s *(*ompc_at_p) = "),
                    HasSubstr("int c;\n"), Not(HasSubstr("pragma"))));
  EXPECT_THAT(Translated("void f(a, x) float *a; int x; { a[x] = 1; }\nvoid g(float *a) {\n"
                         "#pragma omp target\n  f(a, 2);\n}\n"),
              HasSubstr("OMPC_PUT(ompc_args[1], int, 2);"));
}

TEST(TranslateText, AFunctionWhoseResultIsAPointerToOneHasParameters) {
  EXPECT_THAT(Translated("int (*g(int a))(int) {\n#pragma omp parallel\n  a++;\n  return 0;\n}\n"),
              HasSubstr("int (*ompc_at_a) = "));
  EXPECT_THAT(Translated("int (*table[2])(int) = {0};\nvoid g(void) {\n"
                         "#pragma omp parallel firstprivate(table)\n  table[0](1);\n}\n"),
              HasSubstr("int (*table[2])(int);"));
}

}  // namespace
}  // namespace taskrt
