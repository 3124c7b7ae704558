#include "llcl/collective/collective.h"

#include <cstring>

namespace llcl {

void Collective::Put(const Part& part, std::size_t at, std::span<const std::byte> payload) const {
  if (payload.empty()) return;
  const std::span<std::byte> to = At(part.at + at, payload.size());
  if (!part.combines) {
    std::memcpy(to.data(), payload.data(), payload.size());
  } else {
    const std::span<std::byte> own = At(part.operand.value_or(part.at) + at, payload.size());
    part.comes_first ? combine(to, payload, own) : combine(to, own, payload);
  }
}

}  // namespace llcl
