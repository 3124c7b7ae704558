// The C++ that topo's headers are written in: C++20. They include this file before their first
// declaration, so that another C++ is one error, with the flag in it, and not hundreds.
#pragma once

#if __cplusplus < 202002L
#error "topo is C++20: compile this file with -std=c++20"
#include "compiled with -std=c++20"  // There is no such file, which ends the compilation.
#endif
