// How the Schur complement's matrix is stored. Pure.
#pragma once

namespace sdpa {

// kChosen: sparse where that is less work. Numbers of 32 digits: dense.
enum class SchurKind { kChosen, kDense, kSparse };

}  // namespace sdpa
