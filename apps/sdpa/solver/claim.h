// What a solver's point claims to be, for certify.h, which knows no solver.
#pragma once

#include <cstddef>

#include "apps/sdpa/certify.h"
#include "apps/sdpa/solver/point.h"

namespace sdpa {

// A view of the point.
inline Claim ClaimOf(const Point<double>& point) {
  Claim claim = {.x = point.x, .slack = {}, .dual = {}};
  for (std::size_t l = 0; l < point.slack.layout().blocks.size(); ++l) {
    claim.slack.push_back(point.slack.elements(l));
    claim.dual.push_back(point.dual.elements(l));
  }
  return claim;
}

}  // namespace sdpa
