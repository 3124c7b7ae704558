// The translator's answers, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "taskrt/ompc/translate/translate.h"

namespace taskrt {

inline std::string Translated(const std::string& source) {
  const auto text = TranslateOpenMp(source, "program.c");
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}
inline std::string Refusal(const std::string& source) {
  return std::string(TranslateOpenMp(source, "program.c").status().message());
}

// `words` before a call of f, whose declaration is known, in line 3.
inline std::string InFunction(const std::string& words, const std::string& statement = "f(a, n);") {
  return "void f(float *a, unsigned int n);\nvoid g(float **A, int n) {\n#pragma omp " + words +
         "\n" + statement + "\n}\n";
}

}  // namespace taskrt
