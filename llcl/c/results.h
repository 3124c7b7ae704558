// The results of the C calls: outcomes, refusals and absl::Status as llcl_status, and the sentence
// of the last failure.
//
// Threads: any.
#pragma once

#include <concepts>
#include <exception>
#include <new>
#include <string_view>

#include "absl/status/status.h"
#include "llcl/c/status.h"
#include "llcl/executor/executor.h"
#include "llcl/outcome.h"

namespace llcl::c {

constexpr llcl_status StatusOf(Outcome outcome) { return static_cast<llcl_status>(outcome); }
static_assert(StatusOf(Outcome::kDone) == LLCL_OK);
static_assert(StatusOf(Outcome::kPeerDown) == LLCL_PEER_DOWN);
static_assert(StatusOf(Outcome::kLate) == LLCL_LATE);
static_assert(StatusOf(Outcome::kRefused) == LLCL_REFUSED);
static_assert(StatusOf(Outcome::kAborted) == LLCL_ABORTED);
static_assert(StatusOf(Outcome::kNoRoom) == LLCL_NO_ROOM);
static_assert(StatusOf(Outcome::kLeft) == LLCL_LEFT);
static_assert(StatusOf(Outcome::kDisagreement) == LLCL_DISAGREEMENT);

llcl_status StatusOf(Posted posted);

// Returns `status`; for a failure leaves the thread's sentence "call: status" or "call: why".
// LLCL_FULL leaves none.
llcl_status Ended(const char* call, llcl_status status, std::string_view why = {}) noexcept;
llcl_status Ended(const char* call, const absl::Status& status) noexcept;
// `call` got an argument that makes no sense: `why`.
inline llcl_status Invalid(const char* call, std::string_view why) noexcept {
  return Ended(call, LLCL_INVALID, why);
}

// Returns f(), or the status of the exception that leaves it.
template <std::invocable F>
llcl_status Guarded(const char* call, F f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return Ended(call, LLCL_NO_MEMORY);
  } catch (const std::exception& exception) {
    return Ended(call, LLCL_FAILED, exception.what());
  }
}

}  // namespace llcl::c
