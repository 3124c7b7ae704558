// The table of a run's iterations, which is shown line by line.
#pragma once

#include <string>

#include "apps/sdpa/interior_point/quality.h"

namespace sdpa {

// A line of the table, and the line above it.
std::string HeadOfIterations();
std::string ToText(const Iteration& iteration);

}  // namespace sdpa
