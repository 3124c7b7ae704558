// What driver.h and cuda_libraries.h declare is what CUDA's headers do: each pair must be the same
// type but for the names of the handles, which are pointers to the same structs. Built where the
// toolkit is, with cuBLAS and cuSOLVER.
#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "taskrt/cuda/driver.h"
#include "taskrt/workloads/cuda_libraries.h"

namespace taskrt::cuda {

// cuda.h's enumerations are passed as int.
template <typename T>
using Plain = std::conditional_t<std::is_enum_v<T>, int, T>;
template <typename Ours, typename Theirs>
struct IsSame : std::false_type {};
template <typename R1, typename... A1, typename R2, typename... A2>
struct IsSame<R1 (*)(A1...), R2(A2...)>
    : std::bool_constant<std::is_same_v<R1, Plain<R2>> && sizeof...(A1) == sizeof...(A2) &&
                         (std::is_same_v<A1, Plain<A2>> && ...)> {};

#define TASKRT_CUDA_COMPARE(name, symbol, parameters) \
  static_assert(IsSame<decltype(Driver::name), decltype(::symbol)>::value, #symbol);
TASKRT_CUDA_FUNCTIONS(TASKRT_CUDA_COMPARE)

static_assert(kSuccess == CUDA_SUCCESS && kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY &&
              kNotReady == CUDA_ERROR_NOT_READY);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING && kEventDefault == CU_EVENT_DEFAULT &&
              kEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
              kHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE &&
              kHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE);

#define TASKRT_LIBRARIES_COMPARE(name, parameters) \
  static_assert(IsSame<decltype(cholesky::CudaLibraries::name), decltype(::name)>::value, #name);
CHOLESKY_CUBLAS_FUNCTIONS(TASKRT_LIBRARIES_COMPARE)
CHOLESKY_CUSOLVER_FUNCTIONS(TASKRT_LIBRARIES_COMPARE)

static_assert(cholesky::kCublasSuccess == CUBLAS_STATUS_SUCCESS &&
              cholesky::kCusolverSuccess == CUSOLVER_STATUS_SUCCESS);
static_assert(cholesky::kNotTransposed == CUBLAS_OP_N && cholesky::kTransposed == CUBLAS_OP_T &&
              cholesky::kLower == CUBLAS_FILL_MODE_LOWER && cholesky::kRight == CUBLAS_SIDE_RIGHT &&
              cholesky::kNotUnit == CUBLAS_DIAG_NON_UNIT);

// The compiler has compared all of it.
TEST(CudaAbi, IsThatOfTheToolkit) { EXPECT_GE(CUDA_VERSION, 12000); }

}  // namespace taskrt::cuda
