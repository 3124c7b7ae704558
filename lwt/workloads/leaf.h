// The 32 x 32 x 32 block at the leaves of the matrix product: C = A B, or
// C += A B, single precision, rows `ld` floats apart.
#pragma once

namespace sgemm {

inline constexpr int kLeaf = 32;

// What happens to what was in C.
enum class Into { kEmpty, kSum };

using LeafCode = void (*)(const float* a, const float* b, float* c, int ld, Into into);

// For any processor: vectors of four.
void PlainLeaf(const float* a, const float* b, float* c, int ld, Into into);

// The widest vectors that this processor multiplies and adds at once.
struct Leaf {
  LeafCode code;
  const char* name;
};
const Leaf& BestLeaf();

}  // namespace sgemm
