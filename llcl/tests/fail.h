// How the ranks of tests that are programs of their own fail: a sentence, and exit code 3.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace llcl {

[[noreturn]] inline void Fail(const std::string& why) {
  std::fflush(stdout);  // What it said before.
  std::fprintf(stderr, "FAILED: %s\n", why.c_str());
  std::_Exit(3);
}
inline void Require(bool condition, const char* what) {
  if (!condition) Fail(what);
}
template <typename T>
T OrFail(absl::StatusOr<T> result) {
  if (!result.ok()) Fail(result.status().ToString());
  return *std::move(result);
}

}  // namespace llcl
