#include "llcl/system/limits.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace llcl {

absl::Status CheckFileBytes(std::uint64_t wanted, std::uint64_t limit, std::string_view advice) {
  if (wanted <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("a file or shared memory of ", wanted,
                   " bytes is wanted, and the limit of file sizes (ulimit", " -f) allows ", limit,
                   " bytes: raise the limit, or ", std::string(advice)));
}

std::string WhyNoAddresses(std::uint64_t wanted, std::uint64_t used, std::uint64_t limit) {
  if (limit == kNoLimit || (used <= limit && wanted <= limit - used)) return "";
  return absl::StrCat("the limit of address space (ulimit -v) allows ", limit, " bytes, ", used,
                      " are mapped and ", wanted, " more are wanted: raise the limit");
}

absl::Status CheckDescriptors(std::string_view purpose, std::uint64_t needed, std::uint64_t free,
                              std::uint64_t limit) {
  if (needed <= free) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      std::string(purpose), " needs ", needed, " descriptors in each process, and ", free,
      " of the ", limit, " that the limit (ulimit -n) allows are free: raise the limit by ",
      needed - free));
}

std::string WhyCallFailed(std::string_view call, int error, std::uint64_t descriptors) {
  std::string why = absl::StrCat(std::string(call), ": ", std::strerror(error));
  switch (error) {
    case EMFILE:
      absl::StrAppend(&why, " (the limit, ulimit -n, is ", descriptors, ": raise it)");
      break;
    case ENFILE:
      absl::StrAppend(&why, " (the machine's limit, fs.file-max, is reached)");
      break;
    case EPERM:
    case ENOSYS:
      absl::StrAppend(&why, " (the kernel lacks it, or a container's filter must allow it)");
      break;
    default:
      break;
  }
  return why;
}

}  // namespace llcl
