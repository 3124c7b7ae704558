// Random problems made of their solution: an X and a Y with X Y = 0, whose ranks add up to the
// rows, and an x. Pure.
//
// In a dense block X = V V' and Y = W W' where V' = [I G'] and W' = [-G I] for a random G: V'W = 0,
// and nothing is rounded. F_1, ..., F_m are random; F_0 and c are what makes x, X and Y a solution.
// F_1 is the identity, for which reason the primal side has points inside the cone; the dual side
// has them as long as m is not above MostConstraints, the F_i are in general position, and, where
// they touch few blocks each, no block has more constraints than its own share of that number.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/program/words.h"
#include "apps/sdpa/generate/generated.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

enum class Kind { kSparse, kRankOne };
inline constexpr program::Words<Kind> kKinds = {{Kind::kSparse, "sparse"},
                                                {Kind::kRankOne, "rank-one"}};

// A value.
struct ComplementaryOptions {
  std::vector<Block> blocks;
  int constraints = 1;  // m
  Kind kind = Kind::kSparse;
  int elements = 6;  // of F_i in a block, or of the vector whose square F_i is; at most
  int touched = 0;   // blocks in which each F_i has elements; 0 means all
  int empty = 0;     // rows at the end of the first block in which only F_0 has an element
  std::uint64_t seed = 1;
};

// The dimensions of all symmetric matrices less those of A with A Y = 0: of more constraints a
// combination would be such an A.
int MostConstraints(const ComplementaryOptions& options);

// Its value and a solution are known.
Generated Complementary(const ComplementaryOptions& options);

}  // namespace sdpa
