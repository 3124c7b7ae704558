// Of cuBLAS and cuSOLVER what a Cholesky factorization needs, found when a program runs: nothing of
// them is needed to build this. The declarations are those of cublas_api.h and cusolverDn.h, which
// taskrt/tests/cuda_abi_test.cc compares where the toolkit is.
//
// Threads: any.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "taskrt/cuda/driver.h"

struct cublasContext;
struct cusolverDnContext;

namespace cholesky {

using CublasHandle = cublasContext*;
using CusolverHandle = cusolverDnContext*;

// The libraries' enumerations are passed as int.
inline constexpr int kCublasSuccess = 0, kCusolverSuccess = 0;
inline constexpr int kNotTransposed = 0, kTransposed = 1;
inline constexpr int kLower = 0, kRight = 1, kNotUnit = 0;

// Each twice: Real is float in those of S, and double in those of D.
#define CHOLESKY_CUBLAS_OF(F, S, Real)                                                            \
  F(cublas##S##gemm_v2,                                                                           \
    (CublasHandle handle, int of_a, int of_b, int m, int n, int k, const Real* alpha,             \
     const Real* a, int lda, const Real* b, int ldb, const Real* beta, Real* c, int ldc))         \
  F(cublas##S##syrk_v2,                                                                           \
    (CublasHandle handle, int triangle, int of_a, int n, int k, const Real* alpha, const Real* a, \
     int lda, const Real* beta, Real* c, int ldc))                                                \
  F(cublas##S##trsm_v2,                                                                           \
    (CublasHandle handle, int side, int triangle, int of_a, int diagonal, int m, int n,           \
     const Real* alpha, const Real* a, int lda, Real* b, int ldb))
#define CHOLESKY_CUBLAS_FUNCTIONS(F)                                        \
  F(cublasCreate_v2, (CublasHandle * handle))                               \
  F(cublasDestroy_v2, (CublasHandle handle))                                \
  F(cublasSetStream_v2, (CublasHandle handle, taskrt::cuda::Stream stream)) \
  CHOLESKY_CUBLAS_OF(F, S, float)                                           \
  CHOLESKY_CUBLAS_OF(F, D, double)

#define CHOLESKY_CUSOLVER_OF(F, S, Real)                                                 \
  F(cusolverDn##S##potrf_bufferSize,                                                     \
    (CusolverHandle handle, int triangle, int n, Real* a, int lda, int* elements))       \
  F(cusolverDn##S##potrf, (CusolverHandle handle, int triangle, int n, Real* a, int lda, \
                           Real* workspace, int elements, int* failed_column_from_1))
#define CHOLESKY_CUSOLVER_FUNCTIONS(F)                                         \
  F(cusolverDnCreate, (CusolverHandle * handle))                               \
  F(cusolverDnDestroy, (CusolverHandle handle))                                \
  F(cusolverDnSetStream, (CusolverHandle handle, taskrt::cuda::Stream stream)) \
  CHOLESKY_CUSOLVER_OF(F, S, float)                                            \
  CHOLESKY_CUSOLVER_OF(F, D, double)

// A value: the functions, under their names there.
struct CudaLibraries {
#define CHOLESKY_MEMBER(name, parameters) int(*name) parameters = nullptr;
  CHOLESKY_CUBLAS_FUNCTIONS(CHOLESKY_MEMBER)
  CHOLESKY_CUSOLVER_FUNCTIONS(CHOLESKY_MEMBER)
#undef CHOLESKY_MEMBER
  // In one sentence why cuSOLVER is not here: then its functions are null. Empty: it is.
  std::string without_cusolver;
};

// From `folder`, or if that is empty from where the loader looks; they stay loaded. NotFound: there
// is no cuBLAS, in one sentence.
absl::StatusOr<CudaLibraries> LoadCudaLibraries(const std::string& folder);

}  // namespace cholesky
