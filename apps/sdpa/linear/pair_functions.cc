#include "apps/sdpa/linear/pair_functions.h"

#include "apps/sdpa/linear/pair_kernels.h"
#include "apps/sdpa/linear/pair_kernels_avx2.h"

namespace sdpa {
namespace {

struct AnyProcessor;
constexpr PairFunctions kFunctions = {&PairKernels<AnyProcessor>::MultiplyAdd,
                                      &PairKernels<AnyProcessor>::SolveLower};

bool HasAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

const PairFunctions& PairFunctionsHere() {
  static const PairFunctions& functions =
      HasAvx2() && PairFunctionsOfAvx2() != nullptr ? *PairFunctionsOfAvx2() : kFunctions;
  return functions;
}

}  // namespace sdpa
