#include "apps/matmul/problem/reference.h"

#include <cblas.h>

namespace matmul {

void Reference(const sgemm::Block& block, int ldc) {
  openblas_set_num_threads(1);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, block.m, block.n, block.p, 1, block.a,
              block.ld, block.b, block.ld, 0, block.c, ldc);
}

}  // namespace matmul
