// Random C programs with tasks of OpenMP, and with work that a region's members share, whose
// results do not depend on the order, as far as dependencies leave it open: so serial execution,
// which ignores the pragmas, has the same.
//
// A program is one file with functions "void programN(long *v, long (*w)[kColumns])". Each task
// names all numbers of `v` and rows of `w` that it, or a task in it, uses, in its dependencies, and
// waits for the tasks that it creates.
#pragma once

#include <cstdint>
#include <string>

namespace taskrt {

inline constexpr int kCells = 8, kRows = 4, kColumns = 24;

// `programs`: how many functions. The same text for the same seed.
std::string RandomOmpProgram(std::uint64_t seed, int programs);

}  // namespace taskrt
