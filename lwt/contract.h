// What a caller must keep to, checked: who breaks it is told where, and the
// program ends.
//
// Threads: any.
#pragma once

#include "lwt/fatal.h"

namespace lwt {

// `contract`: a sentence about what the caller must do.
inline void CheckContract(bool kept, const char* contract, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  if (!kept) [[unlikely]]
    DieOfBrokenContract(contract, file, line);
}

}  // namespace lwt
