// The matrix to factorize, as numbers that say which.
#pragma once

#include <cstdint>
#include <optional>

#include "taskrt/workloads/cholesky_kernels.h"

namespace cholesky {

// A value.
struct Problem {
  int n = 4096;
  int block = 256;  // n is a multiple
  Precision precision = Precision::kF32;
  std::uint64_t seed = 1;
  std::optional<int> spoiled = {};  // the column in which it is not positive definite
  bool is_dry = false;              // no numbers

  int blocks() const { return n / block; }  // in a row
};

}  // namespace cholesky
