// Which reduction the OpenMP translator takes: the operator's, or one that the program declares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A region with a reduction of x by `name`, behind declarations.
std::string Reduced(const std::string& before, const std::string& name, const std::string& x) {
  return before + "void g(void) {\n  " + x + " = {0};\n#pragma omp parallel reduction(" + name +
         ":x)\n  f(&x);\n}\n";
}
constexpr char kPoint[] =
    "typedef struct pt { int a; } pt;\ntypedef pt other;\n"
    "#pragma omp declare reduction(+ : pt : omp_out.a += omp_in.a)\n";

TEST(TranslateReductions, AnOperatorsNameMeansTheDeclaredOneOfTheVariablesType) {
  for (const char* const x : {"pt x", "other x", "struct pt x", "const pt x"}) {
    EXPECT_THAT(Translated(Reduced(kPoint, "+", x)),
                AllOf(HasSubstr("(*ompc_reduced_x).a += x.a;"), Not(HasSubstr("+= x;"))))
        << x;
  }
  EXPECT_THAT(Translated(Reduced(kPoint, "+", "long x")), HasSubstr("(*ompc_reduced_x) += x;"));
  EXPECT_EQ(Refusal(Reduced(kPoint, "*", "pt x")),
            "program.c:6: expected a declare reduction of * for pt");
  EXPECT_EQ(Refusal(Reduced(kPoint, "+", "pt x[3]")),
            "program.c:6: expected no array behind reduction(+:");
}

TEST(TranslateReductions, OneOfSeveralIsThatOfTheType) {
  const std::string both =
      "typedef unsigned long count;\n"
      "#pragma omp declare reduction(m : count, float : first(omp_out, omp_in))\n"
      "#pragma omp declare reduction(m : struct v : second(omp_out, omp_in))\n";
  EXPECT_THAT(Translated(Reduced(both, "m", "long unsigned int x")), HasSubstr("first((*"));
  EXPECT_THAT(Translated(Reduced(both, "m", "struct v x")), HasSubstr("second((*"));
  EXPECT_EQ(Refusal(Reduced(both, "m", "struct w x")),
            "program.c:6: expected a declare reduction of m for struct w");
  // A type whose name is a header's: the compiler compares.
  EXPECT_THAT(
      Translated(Reduced("#pragma omp declare reduction(m : a : omp_out += omp_in)\n", "m", "b x")),
      HasSubstr("_Static_assert(__builtin_types_compatible_p(__typeof__("));
}

TEST(TranslateReductions, ADeclaredOneIsThatOfItsBlock) {
  const std::string text = Translated(
      Reduced("#pragma omp declare reduction(m : int : outer(omp_out, omp_in))\nvoid h(void) {\n"
              "#pragma omp declare reduction(m : int : inner(omp_out, omp_in))\n  int x = 0;\n"
              "#pragma omp parallel reduction(m:x)\n  f(&x);\n}\n",
              "m", "int x"));
  EXPECT_THAT(text, AllOf(HasSubstr("inner((*"), HasSubstr("outer((*")));
}

}  // namespace
}  // namespace taskrt
