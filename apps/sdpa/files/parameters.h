// SDPA's file of parameters, param.sdpa. Pure.
//
// Each line is a value, then a remark; lines without either are passed over. The ten numbers come
// in this order; behind them may stand up to four formats of printf, for x, X, Y and the
// infeasibilities, or NOPRINT, and before these how many bits numbers have, as sdpa-gmp reads it.
// The formats are checked and not kept: a solution is written so that it is read again to the last
// bit. All numbers are checked; those of SDPA's own search (omegaStar, the bounds, betaStar,
// betaBar, gammaStar) have no effect on another method.
//
// Source: K. Fujisawa et al., SDPA User's Manual 7.1.0, 2008, section 4.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace sdpa {

// A value: SDPA's names and its defaults.
struct Parameters {
  int max_iteration = 100;
  double epsilon_star = 1e-7;                    // of the relative gap
  double lambda_star = 1e2;                      // X = Y = that times I to begin with
  double omega_star = 2;                         // how far out solutions may lie
  double lower_bound = -1e5, upper_bound = 1e5;  // of the objectives
  double beta_star = 0.1, beta_bar = 0.2;        // of the search, where feasible and where not
  double gamma_star = 0.9;                       // of the way to the boundary
  double epsilon_dash = 1e-7;                    // of the infeasibilities

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// InvalidArgument is one sentence, "file:line: found this, expected that".
absl::StatusOr<Parameters> ParseParameters(const std::string& file, std::string_view bytes);

}  // namespace sdpa
