// The matrix product by OpenBLAS: the right result, and the processor's speed.
#pragma once

#include "lwt/workloads/sgemm.h"

namespace matmul {

// C = A B with one OS thread; rows of C are `ldc` floats apart, those of A and B
// block.ld.
void Reference(const sgemm::Block& block, int ldc);

}  // namespace matmul
