// The limits of options: errors that name the field, its value and the values that it may have.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dsm {

// Of a process, on 64-bit machines with page tables of four levels.
inline constexpr std::uint64_t kAddressSpaceBytes = std::uint64_t{1} << 47;

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

// A multiple of the system's page size, at most 1 GiB.
absl::Status CheckPageBytes(std::uint64_t page_bytes);

}  // namespace dsm
