#include "taskrt/tests/fake_cuda_libraries.h"

#include <cblas.h>

#include <algorithm>

#include "taskrt/tests/fake_cuda.h"

// LAPACK's, of which OpenBLAS brings no C header of its own.
extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

struct cublasContext {
  CUstream_st* stream = nullptr;
};
struct cusolverDnContext {
  CUstream_st* stream = nullptr;
};

namespace taskrt {
namespace {

using cholesky::CublasHandle;
using cholesky::CusolverHandle;

FakeLibraries* its = nullptr;

CBLAS_TRANSPOSE Transposed(int of) {
  return of == cholesky::kTransposed ? CblasTrans : CblasNoTrans;
}
CBLAS_UPLO Triangle(int of) { return of == cholesky::kLower ? CblasLower : CblasUpper; }
CBLAS_SIDE Side(int of) { return of == cholesky::kRight ? CblasRight : CblasLeft; }
CBLAS_DIAG Diagonal(int of) { return of == cholesky::kNotUnit ? CblasNonUnit : CblasUnit; }

// Scalars are read when it is asked for, all else when the stream comes to it.
#define TASKRT_FAKE_CUBLAS(S, s, Real)                                                            \
  libraries.cublas##S##gemm_v2 = [](CublasHandle handle, int of_a, int of_b, int m, int n, int k, \
                                    const Real* alpha, const Real* a, int lda, const Real* b,     \
                                    int ldb, const Real* beta, Real* c, int ldc) {                \
    AskFakeStream(handle->stream, [=, alpha = *alpha, beta = *beta] {                             \
      cblas_##s##gemm(CblasColMajor, Transposed(of_a), Transposed(of_b), m, n, k, alpha, a, lda,  \
                      b, ldb, beta, c, ldc);                                                      \
    });                                                                                           \
    return cholesky::kCublasSuccess;                                                              \
  };                                                                                              \
  libraries.cublas##S##syrk_v2 = [](CublasHandle handle, int triangle, int of_a, int n, int k,    \
                                    const Real* alpha, const Real* a, int lda, const Real* beta,  \
                                    Real* c, int ldc) {                                           \
    AskFakeStream(handle->stream, [=, alpha = *alpha, beta = *beta] {                             \
      cblas_##s##syrk(CblasColMajor, Triangle(triangle), Transposed(of_a), n, k, alpha, a, lda,   \
                      beta, c, ldc);                                                              \
    });                                                                                           \
    return cholesky::kCublasSuccess;                                                              \
  };                                                                                              \
  libraries.cublas##S##trsm_v2 = [](CublasHandle handle, int side, int triangle, int of_a,        \
                                    int diagonal, int m, int n, const Real* alpha, const Real* a, \
                                    int lda, Real* b, int ldb) {                                  \
    AskFakeStream(handle->stream, [=, alpha = *alpha] {                                           \
      cblas_##s##trsm(CblasColMajor, Side(side), Triangle(triangle), Transposed(of_a),            \
                      Diagonal(diagonal), m, n, alpha, a, lda, b, ldb);                           \
    });                                                                                           \
    return cholesky::kCublasSuccess;                                                              \
  };                                                                                              \
  libraries.cusolverDn##S##potrf_bufferSize = [](CusolverHandle, int, int n, Real*, int,          \
                                                 int* elements) {                                 \
    *elements = 3 * n;                                                                            \
    return cholesky::kCusolverSuccess;                                                            \
  };                                                                                              \
  libraries.cusolverDn##S##potrf = [](CusolverHandle handle, int triangle, int n, Real* a,        \
                                      int lda, Real* workspace, int elements, int* failed) {      \
    AskFakeStream(handle->stream, [=] {                                                           \
      std::fill_n(workspace, elements, Real{7});                                                  \
      s##potrf_(triangle == cholesky::kLower ? "L" : "U", &n, a, &lda, failed);                   \
    });                                                                                           \
    return cholesky::kCusolverSuccess;                                                            \
  };

// As those of both libraries begin and end.
template <typename Handle>
int Create(Handle** handle) {
  ++its->handles;
  *handle = new Handle;
  return 0;
}
template <typename Handle>
int Destroy(Handle* handle) {
  --its->handles;
  delete handle;
  return 0;
}
template <typename Handle>
int SetStream(Handle* handle, cuda::Stream stream) {
  handle->stream = stream;
  return 0;
}

}  // namespace

cholesky::CudaLibraries FakeCudaLibraries(FakeLibraries& fake) {
  its = &fake;
  cholesky::CudaLibraries libraries;
  libraries.cublasCreate_v2 = Create<cublasContext>;
  libraries.cublasDestroy_v2 = Destroy<cublasContext>;
  libraries.cublasSetStream_v2 = SetStream<cublasContext>;
  libraries.cusolverDnCreate = Create<cusolverDnContext>;
  libraries.cusolverDnDestroy = Destroy<cusolverDnContext>;
  libraries.cusolverDnSetStream = SetStream<cusolverDnContext>;
  TASKRT_FAKE_CUBLAS(S, s, float)
  TASKRT_FAKE_CUBLAS(D, d, double)
  return libraries;
}

}  // namespace taskrt
