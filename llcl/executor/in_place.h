// A command done by the caller's processor, on memory that is mapped here.
#pragma once

#include <cstddef>

#include "llcl/executor/command.h"

namespace llcl {

// `there`: the command's remote address as mapped here, all of its bytes. Words of 1,
// 2, 4 and 8 bytes that are aligned are read and written whole.
void ExecuteInPlace(const Command& command, std::byte* there);

}  // namespace llcl
