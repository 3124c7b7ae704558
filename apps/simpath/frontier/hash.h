// A number that stands for mates: its high bits serve best. Pure.
#pragma once

#include <cstdint>

#include "apps/simpath/frontier/mates.h"

namespace simpath {

template <int words>
std::uint64_t HashOf(const Mates<words>& mates) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : mates.word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash * 0xd6e8feb86659fd93;
}

}  // namespace simpath
