// Which of 64 vertices have their first neighbor in the frontier: the inner step of a bottom-up
// level. Most vertices that are found at all are found by it.
#pragma once

#include <cstdint>

#include "apps/graph/edge_list.h"

namespace bfs {

// Bit i of the result: bit i of `candidates` is set and bit first[i] of `frontier` is.
// `first` has 64 values, each a bit of the frontier, also where there is no candidate.
using FirstHits = std::uint64_t (*)(const graph::Vertex* first, const std::uint64_t* frontier,
                                    std::uint64_t candidates);

std::uint64_t FirstHitsScalar(const graph::Vertex* first, const std::uint64_t* frontier,
                              std::uint64_t candidates);

// Eight lookups an instruction where this processor has AVX2, else the scalar one.
FirstHits FastestFirstHits();

}  // namespace bfs
