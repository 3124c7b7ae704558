// Calls of what the user wrote, where an exception must not go on: what a body throws is its task's
// error, as a Status that it returns is.
//
// Threads: any.
#pragma once

#include <exception>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lwt/contract.h"

namespace taskrt {

[[noreturn, gnu::cold, gnu::noinline]] inline void DieOfScheduler(const char* function,
                                                                  const char* thrown) {
  lwt::DieOfBrokenContract(
      absl::StrCat("a scheduler throws nothing, but ", function, " has: ", thrown), __FILE__,
      __LINE__);
}

// `call()`: a Status. Unknown: it has thrown; the message has the exception's own.
template <typename Call>
absl::Status StatusOfCall(Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return absl::UnknownError(absl::StrCat("it has thrown an exception: ", error.what()));
  } catch (...) {
    return absl::UnknownError("it has thrown an exception that is no std::exception");
  }
}

// Calls a function of the user's scheduler, `function`. An exception ends the program with a
// sentence: no other part knows the scheduler's tasks.
template <typename Call>
auto AskScheduler(const char* function, Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    DieOfScheduler(function, error.what());
  } catch (...) {
    DieOfScheduler(function, "no std::exception");
  }
}

}  // namespace taskrt
