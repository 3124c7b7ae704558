#include "llcl/collective/collective.h"

#include <cstring>

namespace llcl {

void Collective::Put(const Part& part, std::span<std::byte> to,
                     std::span<const std::byte> payload) const {
  if (payload.empty()) return;
  if (!part.combines) {
    std::memcpy(to.data(), payload.data(), payload.size());
  } else if (!part.comes_first) {
    combine(to, payload);
  } else {
    std::vector<std::byte> received(payload.begin(), payload.end());
    combine(received, to);
    std::memcpy(to.data(), received.data(), received.size());
  }
}

}  // namespace llcl
