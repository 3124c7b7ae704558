// The kernels of pairs of doubles (pair_kernels.h) for processors with AVX2 and fused products.
#pragma once

#include "apps/sdpa/linear/quads.h"

namespace sdpa {

// Null where the program is not for such processors at all.
const PairFunctions* PairFunctionsOfAvx2();

}  // namespace sdpa
