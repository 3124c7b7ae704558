// The limits of this process (getrlimit), asked for before or after the system refuses.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "llcl/language.h"

namespace llcl {

// ResourceExhausted, with both numbers and `advice`, where a file or shared memory may not have so
// many bytes. To be asked before a file grows: beyond the limit the system does not refuse, it ends
// the process by SIGXFSZ.
absl::Status CheckFileBytes(std::uint64_t bytes, std::string_view advice);

// For a mapping refused with ENOMEM: a sentence with the limit of address space, or an empty string
// where another reason is likely.
std::string WhyNoAddresses(std::uint64_t bytes);

// ResourceExhausted where so many more descriptors cannot be opened: limits.h.
absl::Status CheckDescriptors(std::string_view purpose, std::uint64_t needed);

// As limits.h's, with this process's limit.
std::string WhyCallFailed(std::string_view call, int error);

}  // namespace llcl
