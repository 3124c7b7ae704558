// The stack of a suspended flow, as its own unwind tables tell it.
//
// Threads: any; the flow stays suspended meanwhile. Needs nothing but the compiler.
#pragma once

#include <cstddef>
#include <span>

#include "lwt/machine/context.h"

namespace lwt {

// The return addresses on the stack of the flow `sp`, innermost first, as far as `frames` has room
// for them; `end` is where the flow's own frames end, above `sp`. Returns how many there are.
std::size_t Backtrace(StackPointer sp, const void* end, std::span<const void*> frames);

}  // namespace lwt
