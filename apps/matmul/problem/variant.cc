#include "apps/matmul/problem/variant.h"

#include <bit>

namespace matmul {

int DepthOfOneAWorker(int workers) { return std::bit_width(static_cast<unsigned>(workers) - 1); }

}  // namespace matmul
