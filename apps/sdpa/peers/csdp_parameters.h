// csdp's file of parameters, param.csdp. Pure.
//
// Each line is NAME=VALUE, in any order; names in any case. A line that is none is passed over, as
// csdp does. The tolerances, maxiter and printlevel have an effect; the others are of csdp's own
// method.
//
// Source: B. Borchers, CSDP 6.2.0 User's Guide, 2017.
#pragma once

#include <string_view>

namespace sdpa {

// A value: csdp's names and its defaults, but for the tolerance.
struct CsdpParameters {
  double tolerance = 1e-7;  // the least of axtol, atytol and objtol
  int most_iterations = 100;
  int print_level = 1;  // 0: nothing is printed
};

CsdpParameters ParseCsdpParameters(std::string_view text);

}  // namespace sdpa
