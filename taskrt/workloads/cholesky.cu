// What the four tasks of a block Cholesky factorization compute, in CUDA: the same as
// cholesky_kernels.h, of tiles without gaps, `side` by `side`. A block that is not positive
// definite has no number (NaN) on its diagonal afterwards, from the column on that was not.
//
// Sums are made apart and subtracted at last: the diagonal is large. The shapes of grids and
// thread blocks are cholesky_cuda.cc's. Includes nothing: tests compile it for the host
// (tests/cuda_on_host.h).
namespace {

// A thread block computes a tile of C, and each of its threads kEach by kEach elements of that,
// which lie kThreads apart: so neighbors read and write neighbors.
constexpr int kTile = 64, kThreads = 16, kEach = kTile / kThreads;
constexpr int kDepth = 16;  // rows of A and B that are in shared memory at once

// C -= A^T B, or its upper triangle.
template <typename Real>
__device__ void Product(const Real* __restrict__ b, const Real* __restrict__ a,
                        Real* __restrict__ c, int side, bool only_upper) {
  __shared__ Real part_of_a[kDepth][kTile], part_of_b[kDepth][kTile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  const int first_row = static_cast<int>(blockIdx.y) * kTile;
  if (only_upper && first_row > first_column) return;  // All threads of the block.
  Real sum[kEach][kEach] = {};
  for (int first = 0; first < side; first += kDepth) {
    for (int at = y * kThreads + x; at < kDepth * kTile; at += kThreads * kThreads) {
      const int k = at / kTile, i = at % kTile;
      const int row = first + k;
      const bool is_in_a = row < side && first_row + i < side;
      const bool is_in_b = row < side && first_column + i < side;
      part_of_a[k][i] = is_in_a ? a[row * side + first_row + i] : Real{0};
      part_of_b[k][i] = is_in_b ? b[row * side + first_column + i] : Real{0};
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
          sum[i][j] += part_of_a[k][y + i * kThreads] * part_of_b[k][x + j * kThreads];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) {
      const int row = first_row + y + i * kThreads, column = first_column + x + j * kThreads;
      const bool is_wanted = !only_upper || row <= column;
      if (row < side && column < side && is_wanted) c[row * side + column] -= sum[i][j];
    }
  }
}

// B becomes U^-T B, where U is the upper triangle of A: a column each.
template <typename Real>
__device__ void Solve(const Real* __restrict__ a, Real* __restrict__ b, int side) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= side) return;
  for (int row = 0; row < side; ++row) {
    Real sum = 0;
    for (int k = 0; k < row; ++k) sum += a[k * side + row] * b[k * side + column];
    b[row * side + column] = (b[row * side + column] - sum) / a[row * side + row];
  }
}

// The upper triangle of A becomes U, where A = U^T U: by one thread block, whose threads share the
// columns.
template <typename Real>
__device__ void Factorize(Real* a, int side) {
  const int first = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  for (int row = 0; row < side; ++row) {
    for (int column = first; column < side; column += step) {
      if (column < row) continue;
      Real sum = 0;
      for (int k = 0; k < row; ++k) sum += a[k * side + row] * a[k * side + column];
      a[row * side + column] -= sum;
    }
    __syncthreads();
    const Real pivot = a[row * side + row];
    __syncthreads();
    const Real root = pivot > 0 ? sqrt(pivot) : static_cast<Real>(NAN);
    for (int column = first; column < side; column += step) {
      if (column < row) continue;
      a[row * side + column] = column == row ? root : a[row * side + column] / root;
    }
    __syncthreads();
  }
}

// What cuSOLVER says of a block that it has factorized, in the block.
template <typename Real>
__device__ void MarkIfFailed(const int* failed_column_from_1, Real* a, int side, int stride) {
  const int failed = *failed_column_from_1;
  if (failed <= 0) return;
  const int first = failed - 1 + static_cast<int>(threadIdx.x);
  for (int i = first; i < side; i += static_cast<int>(blockDim.x)) {
    a[i * stride + i] = static_cast<Real>(NAN);
  }
}

}  // namespace

// Arguments: the blocks as tasks have them, then TaskScalars.
#define CHOLESKY_KERNELS(Real, suffix)                                                            \
  extern "C" __global__ void __launch_bounds__(kThreads* kThreads)                                \
      product_##suffix(const Real* b, const Real* a, Real* c, int, int side) {                    \
    Product(b, a, c, side, false);                                                                \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(kThreads* kThreads)                                \
      square_##suffix(const Real* a, Real* c, int, int side) {                                    \
    Product(a, a, c, side, true);                                                                 \
  }                                                                                               \
  extern "C" __global__ void solve_##suffix(const Real* a, Real* b, int, int side) {              \
    Solve(a, b, side);                                                                            \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(1024) factorize_##suffix(Real* a, int, int side) { \
    Factorize(a, side);                                                                           \
  }                                                                                               \
  extern "C" __global__ void mark_if_failed_##suffix(const int* failed, Real* a, int side,        \
                                                     int stride) {                                \
    MarkIfFailed(failed, a, side, stride);                                                        \
  }
CHOLESKY_KERNELS(float, f32)
CHOLESKY_KERNELS(double, f64)
#undef CHOLESKY_KERNELS
