// A small number that names an operation in flight (tags.h).
//
// Pure.
#pragma once

#include <cstdint>

#include "llcl/language.h"

namespace llcl {

using Tag = std::uint32_t;
inline constexpr Tag kNullTag = ~Tag{0};

}  // namespace llcl
