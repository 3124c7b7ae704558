// The lines "matrix block row column value" that problems and solutions have in SDPA's and CSDP's
// sparse files. Pure.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/files/tokens.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: an element as a file gives it, and where.
struct GivenElement {
  int matrix = 0;
  int block = 0;    // from 0 on
  Element element;  // not below the diagonal, and not zero
  int line = 0;
};

// What is left of the tokens, by matrix, block, row and column; matrices are numbered from `first`
// to `last`. An element below the diagonal stands for its mirror image. InvalidArgument where an
// element is given again with another value.
absl::StatusOr<std::vector<GivenElement>> ReadElements(Tokens& tokens,
                                                       const std::vector<Block>& blocks, int first,
                                                       int last);

}  // namespace sdpa
