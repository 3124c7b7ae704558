// Sums of products of pairs of doubles, as the processor that runs the program does them best.
#pragma once

#include "apps/sdpa/linear/quads.h"

namespace sdpa {

// Of the processor that runs this: where it has AVX2 and fused products those with them.
const PairFunctions& PairFunctionsHere();

}  // namespace sdpa
