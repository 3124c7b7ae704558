// Functions of a C interface: no exception leaves them, and a failure leaves a sentence.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "absl/status/status.h"

namespace program {

// Why this thread's last call failed.
inline std::string& LastError() {
  thread_local std::string error;
  return error;
}

inline void Refuse(const absl::Status& status) { LastError() = std::string(status.message()); }

// The result of `body`; null or -1, with a sentence, where it throws.
template <typename Body>
auto Guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    Refuse(absl::ResourceExhaustedError("there is not enough memory"));
  } catch (const std::length_error&) {
    Refuse(absl::ResourceExhaustedError("there is not enough memory"));
  } catch (const std::exception& error) {
    Refuse(absl::InternalError(error.what()));
  }
  if constexpr (std::is_pointer_v<decltype(body())>) {
    return nullptr;
  } else {
    return -1;
  }
}

}  // namespace program
