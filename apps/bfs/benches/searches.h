// What both contestants measure: the construction of Graph500's graph and searches from its keys.
#pragma once

#include "apps/bfs/measure/variant.h"

namespace bfs {

// Registers rows `construction/NAME/...` and `search/NAME/...` for 1 thread and for as many as the
// machine runs at once. A search's time is the mean of those from 16 keys; before, one answer is
// validated.
void RegisterSearches(Variant variant, const char* name);

}  // namespace bfs
