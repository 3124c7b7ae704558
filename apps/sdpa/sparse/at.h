// Numbers of columns and supernodes are ints, of which vectors have half as much to keep; those of
// elements of vectors are not. Pure.
#pragma once

#include <cstddef>

namespace sdpa {

constexpr std::size_t At(int index) { return static_cast<std::size_t>(index); }

}  // namespace sdpa
