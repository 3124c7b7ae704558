// Chooses how the Schur complement's matrix is stored.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/schur/kind.h"
#include "apps/sdpa/schur/schur.h"
#include "taskrt/runtime.h"

namespace sdpa {

// The runtime and the columns outlive it. Real: double or DoubleDouble. ResourceExhausted where it
// takes more than `most_bytes`, with what it takes. `cuda_devices`: how many the runtime has.
template <typename Real>
absl::StatusOr<std::unique_ptr<SchurComplement<Real>>> MakeSchur(taskrt::Runtime& runtime,
                                                                 const Columns& columns,
                                                                 SchurKind kind, double most_bytes,
                                                                 int cuda_devices = 0);

}  // namespace sdpa
