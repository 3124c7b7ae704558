// Sentences about refusals of the system: the call, the wanted amount, the limit, and the command
// or option to raise the limit. The numbers of this process are in process_limits.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace llcl {

// No limit: RLIM_INFINITY.
inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// ResourceExhausted where a file, or memory shared by descriptor, would grow beyond `limit` (ulimit
// -f). `advice`: how the program asks for less, as "lower SpaceOptions::bytes".
absl::Status CheckFileBytes(std::uint64_t wanted, std::uint64_t limit, std::string_view advice);

// Why a mapping was refused for want of addresses (ENOMEM), where `limit` (ulimit -v) is the
// reason: `used` bytes of addresses were mapped before. Empty: the limit allows the mapping.
std::string WhyNoAddresses(std::uint64_t wanted, std::uint64_t used, std::uint64_t limit);

// ResourceExhausted where fewer than `needed` of the process's `limit` descriptors (ulimit -n) are
// free. `purpose`: the subject of the sentence, as "a job of 4 ranks by TCP".
absl::Status CheckDescriptors(std::string_view purpose, std::uint64_t needed, std::uint64_t free,
                              std::uint64_t limit);

// Why the system call `call` failed with `error`: the error's words and, where a limit or a filter
// of system calls may be the reason, its name. `descriptors`: the process's limit (ulimit -n).
std::string WhyCallFailed(std::string_view call, int error, std::uint64_t descriptors);

}  // namespace llcl
