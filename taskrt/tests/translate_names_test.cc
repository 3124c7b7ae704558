// What names mean in the functions that the OpenMP translator writes: those of functions and of
// structures' members, and the function's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A region in a function with a variable x.
std::string InRegion(const std::string& before, const std::string& inside) {
  return "void g(int x) {\n" + before + "\n#pragma omp parallel\n  {\n    " + inside + "\n  }\n}\n";
}

TEST(TranslateNames, AFunctionThatABlockDeclaresIsDeclaredInItsRegions) {
  const std::string text =
      Translated(InRegion("  int f(int x), *h(void);\n  size_t *k(int);", "f(x) + *h() + *k(1);"));
  EXPECT_THAT(text, HasSubstr("static void ompc_task_1(void **ompc_args) {\n  (void)ompc_args;\n"
                              "  int f(int x);\n  int *h(void);\n  size_t *k(int);\n"));
  // A macro may expand to anything.
  EXPECT_THAT(Translated("#define OPEN return;\n" + InRegion("  OPEN f(x);", "x++;")),
              Not(HasSubstr("  OPEN f(x);\n  int")));
}

TEST(TranslateNames, ParametersAndMembersAreNoVariablesOfTheBlock) {
  const std::string text = Translated(
      InRegion("",
               "int f(int x); int (*p)(int x) = q(x); struct s { int x, y[sizeof x]; } s = "
               "{x}; enum { A, B }; s.x = x;"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("int f(int x);"), HasSubstr("int (*p)(int x) = q((*ompc_at_x));"),
                    HasSubstr("struct s { int x, y[sizeof (*ompc_at_x)]; } s = {(*ompc_at_x)};"),
                    HasSubstr("s.x = (*ompc_at_x);")));
}

TEST(TranslateNames, TheNameOfAFunctionIsTheProgramsOwn) {
  const std::string text =
      Translated(InRegion("  p(__func__);", "q(__func__, __FUNCTION__, __PRETTY_FUNCTION__);"));
  EXPECT_THAT(text, AllOf(HasSubstr("p(__func__);"), HasSubstr("q(\"g\", \"g\", \"g\");")));
}

TEST(TranslateNames, AFunctionInsideOfAFunctionIsNotCalledInARegion) {
  const std::string inner = "  int inner(int x) { return x; }";
  EXPECT_EQ(Refusal(InRegion(inner, "inner(x);")),
            "program.c:3: expected no inner, a function inside of a function, in the block of "
            "parallel");
  EXPECT_EQ(Refusal("void g(void) {\n  int inner(void) {\n#pragma omp barrier\n  return 1; }\n}\n"),
            "program.c:3: expected no directive in a function inside of a function");
  EXPECT_THAT(Translated(InRegion(inner + "\n  inner(x);", "x++;")), HasSubstr(inner));
  EXPECT_THAT(Translated(InRegion("", inner + " inner(x);")),
              HasSubstr(inner + " inner((*ompc_at_x));"));
}

}  // namespace
}  // namespace taskrt
