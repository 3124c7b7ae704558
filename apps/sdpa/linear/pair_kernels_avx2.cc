#include "apps/sdpa/linear/pair_kernels_avx2.h"

#if defined(__x86_64__)

// Before all that is to be compiled so. Nothing from other libraries may be among it: what is
// instantiated here might be taken for all of the program.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#include "apps/sdpa/linear/pair_kernels.h"

namespace sdpa {
namespace {

struct Avx2;
constexpr PairFunctions kFunctions = {&PairKernels<Avx2>::MultiplyAdd,
                                      &PairKernels<Avx2>::SolveLower};

}  // namespace

const PairFunctions* PairFunctionsOfAvx2() { return &kFunctions; }

}  // namespace sdpa

#ifdef __clang__
#pragma clang attribute pop
#endif

#else

namespace sdpa {

const PairFunctions* PairFunctionsOfAvx2() { return nullptr; }

}  // namespace sdpa

#endif
