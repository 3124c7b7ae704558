#include "taskrt/workloads/cholesky_opencl.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"

namespace cholesky {
namespace {

// Blocks whose side is a multiple of this are computed in vectors.
constexpr int kColumns = 32;
constexpr int kRows = 8, kVector = 16;

// Given as the options: N, the side of a block, and REAL. Sums are made apart and subtracted at
// last: the diagonal is large.
constexpr char kSource[] = R"(
#if REAL_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// C -= A^T B, all N by N: an element each.
__kernel void product(__global const REAL* b, __global const REAL* a, __global REAL* c) {
  const int column = get_global_id(0), row = get_global_id(1);
  REAL sum = 0;
  for (int k = 0; k < N; ++k) sum += a[k * N + row] * b[k * N + column];
  c[row * N + column] -= sum;
}

// The upper triangle of C -= A^T A: an element each.
__kernel void square(__global const REAL* a, __global REAL* c) {
  if (get_global_id(1) <= get_global_id(0)) product(a, a, c);
}

// B becomes U^-T B, where U is the upper triangle of A: a column each.
__kernel void solve(__global const REAL* a, __global REAL* b) {
  const int column = get_global_id(0);
  for (int row = 0; row < N; ++row) {
    REAL sum = 0;
    for (int k = 0; k < row; ++k) sum += a[k * N + row] * b[k * N + column];
    b[row * N + column] = (b[row * N + column] - sum) / a[row * N + row];
  }
}

// The upper triangle of A becomes U, where A = U^T U: a column each, in one group. What is not
// positive becomes NaN, as all that follows.
__kernel void factorize(__global REAL* a) {
  const int column = get_local_id(0);
  for (int row = 0; row < N; ++row) {
    if (column >= row) {
      REAL sum = 0;
      for (int k = 0; k < row; ++k) sum += a[k * N + row] * a[k * N + column];
      a[row * N + column] -= sum;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    const REAL pivot = a[row * N + row];
    barrier(CLK_GLOBAL_MEM_FENCE);
    const REAL root = pivot > 0 ? sqrt(pivot) : (REAL)NAN;
    if (column >= row) a[row * N + column] = column == row ? root : a[row * N + column] / root;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// The same in vectors.
#define JOINED(a, b) a##b
#define VECTOR_OF(real) JOINED(real, 16)
#define VECTOR VECTOR_OF(REAL)

// Eight by 32 elements in registers: a row of B comes once for eight of them, and an element of A
// for 32.
__kernel void product_of_vectors(__global const REAL* restrict b, __global const REAL* restrict a,
                                 __global REAL* restrict c) {
  const int column = get_global_id(0) * 32, row = get_global_id(1) * 8;
  VECTOR low[8], high[8];
  for (int i = 0; i < 8; ++i) low[i] = high[i] = 0;
  for (int k = 0; k < N; ++k) {
    const VECTOR b_low = vload16(0, b + k * N + column), b_high = vload16(1, b + k * N + column);
    __global const REAL* restrict a_row = a + k * N + row;
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      low[i] = fma((VECTOR)(a_row[i]), b_low, low[i]);
      high[i] = fma((VECTOR)(a_row[i]), b_high, high[i]);
    }
  }
  for (int i = 0; i < 8; ++i) {
    __global REAL* at = c + (row + i) * N + column;
    vstore16(vload16(0, at) - low[i], 0, at);
    vstore16(vload16(1, at) - high[i], 1, at);
  }
}

// Of what crosses the diagonal all is computed: below it nobody looks.
__kernel void square_of_vectors(__global const REAL* a, __global REAL* c) {
  if (get_global_id(1) * 8 < get_global_id(0) * 32 + 32) product_of_vectors(a, a, c);
}

// Sixteen columns each; of A the column `row`, whose elements lie apart, is read by all.
__kernel void solve_of_vectors(__global const REAL* a, __global REAL* b) {
  __global REAL* const at = b + get_global_id(0) * 16;
  for (int row = 0; row < N; ++row) {
    VECTOR even = 0, odd = 0;
    int k = 0;
    for (; k + 1 < row; k += 2) {
      even = fma((VECTOR)(a[k * N + row]), vload16(0, at + k * N), even);
      odd = fma((VECTOR)(a[(k + 1) * N + row]), vload16(0, at + (k + 1) * N), odd);
    }
    if (k < row) even = fma((VECTOR)(a[k * N + row]), vload16(0, at + k * N), even);
    vstore16((vload16(0, at + row * N) - even - odd) / a[row * N + row], 0, at + row * N);
  }
}

__kernel void factorize_of_vectors(__global REAL* a) {
  const int column = get_local_id(0) * 16;
  __global REAL* const at = a + column;
  for (int row = 0; row < N; ++row) {
    if (column + 16 > row) {
      VECTOR sum = 0;
      for (int k = 0; k < row; ++k) sum = fma((VECTOR)(a[k * N + row]), vload16(0, at + k * N), sum);
      vstore16(vload16(0, at + row * N) - sum, 0, at + row * N);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    const REAL pivot = a[row * N + row];
    barrier(CLK_GLOBAL_MEM_FENCE);
    const REAL root = pivot > 0 ? sqrt(pivot) : (REAL)NAN;
    // Also what lies left of the diagonal, where nobody looks; the diagonal becomes its root.
    if (column + 16 > row) vstore16(vload16(0, at + row * N) / root, 0, at + row * N);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
)";

}  // namespace

taskrt::OpenClKernel OpenClKernelOf(Kernel kernel, Precision precision, int b) {
  const auto side = static_cast<std::size_t>(b);
  taskrt::OpenClKernel made{.source = kSource};
  made.build_options =
      absl::StrCat("-DN=", b, " -DREAL=", precision == Precision::kF32 ? "float" : "double",
                   " -DREAL_BYTES=", precision == Precision::kF32 ? 4 : 8);
  const bool in_vectors = b % kColumns == 0;
  const std::size_t vectors = in_vectors ? side / kVector : side;
  switch (kernel) {
    case Kernel::kPotrf:
      made.function = "factorize";
      made.global = made.local = {vectors};
      break;
    case Kernel::kTrsm:
      made.function = "solve";
      made.global = {vectors};
      break;
    case Kernel::kSyrk:
    case Kernel::kGemm:
      made.function = kernel == Kernel::kSyrk ? "square" : "product";
      made.global = {side, side};
      if (in_vectors) made.global = {side / kColumns, side / kRows};
      break;
  }
  if (in_vectors) made.function += "_of_vectors";
  return made;
}

}  // namespace cholesky
