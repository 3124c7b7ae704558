// How the Schur complement's matrix is stored. Pure.
#pragma once

#include "apps/program/words.h"

namespace sdpa {

// kChosen: sparse where that is less work. Numbers of 32 digits: dense.
enum class SchurKind { kChosen, kDense, kSparse };
inline constexpr program::Words<SchurKind> kSchurKinds = {
    {SchurKind::kChosen, "auto"}, {SchurKind::kDense, "dense"}, {SchurKind::kSparse, "sparse"}};

}  // namespace sdpa
