// What a caller must keep to, checked: a broken contract ends the program with a sentence that
// names it. The line that is printed before the sentence is that of the check, in lwt: a debugger
// shows the caller's. An exception that no caller can catch ends the program, too.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <exception>
#include <string_view>

#include "lwt/language.h"

namespace lwt {

// A caller did not keep to `contract`, a sentence about what it must do. `file`, `line`: of the
// check.
[[noreturn]] void DieOfBrokenContract(std::string_view contract, std::string_view file, int line);

inline void CheckContract(bool kept, const char* contract, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  if (!kept) [[unlikely]]
    DieOfBrokenContract(contract, file, line);
}

// No caller can catch `error`. `thrower`: a clause, "the policy of worker 3"; `rule`: a sentence,
// why none can.
[[noreturn]] void DieOfException(const std::exception_ptr& error, std::string_view thrower,
                                 std::string_view rule);
// DieOfException for what a detached thread threw.
[[noreturn]] void DieOfDetachedException(const std::exception_ptr& error, std::string_view name,
                                         std::uint32_t depth);

// A scheduling policy dropped a thread that had begun to run.
[[noreturn]] void DieOfLostThread(std::string_view name, std::uint32_t depth);

}  // namespace lwt
