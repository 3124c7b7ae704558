// Which BLAS a program runs: two solvers with different ones are not compared by their methods.
#pragma once

#include <string>

namespace sdpa {

// As "openblas-pthread/libblas.so.3": what the dynamic linker finds for this program, which on
// Debian an alternative's link decides, by its folder and name. "OpenBLAS, linked statically" where
// it is a part of the program; "unknown" else.
std::string BlasOf(const std::string& program);

}  // namespace sdpa
