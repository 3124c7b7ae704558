#include "llcl/launch/random_name.h"

#include <sys/random.h>

#include <cerrno>

#include "llcl/process_limits.h"

namespace llcl {

absl::StatusOr<std::string> RandomName(int bytes) {
  std::string name;
  for (int i = 0; i < bytes; ++i) {
    unsigned char byte = 0;
    if (getrandom(&byte, 1, 0) != 1)
      return absl::UnavailableError("no random bytes: " + WhyCallFailed("getrandom", errno));
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

}  // namespace llcl
