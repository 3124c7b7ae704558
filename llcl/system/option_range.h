// Checks of options: errors that name the field, its value and the values that it may have.
//
// Threads: any.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace llcl {

template <typename T>
absl::Status Wrong(const char* field, T value, const std::string& may_be) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, ": it is ", may_be));
}

// NaN is in no range.
template <typename T>
absl::Status InRange(const char* field, T value, T least, T most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Wrong(field, value, absl::StrCat(least, " to ", most));
}

// Ends the program with the error, if there is one: for constructors, which return nothing.
void CheckOrDie(const absl::Status& status);

}  // namespace llcl
