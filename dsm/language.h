// The C++ that dsm's headers are written in: C++20 and exceptions. They include this file before
// their first declaration, so that another C++ is one error, with the flag in it, and not hundreds.
#pragma once

#if __cplusplus < 202002L
#error "dsm is C++20: compile this file with -std=c++20"
#include "compiled with -std=c++20"  // There is no such file, which ends the compilation.
#endif
#if !defined(__cpp_exceptions)
#error "dsm needs exceptions: compile this file without -fno-exceptions"
#include "compiled without -fno-exceptions"  // There is no such file, which ends the compilation.
#endif
