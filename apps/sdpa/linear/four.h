// Four numbers that a processor computes with at once. Pure.
#pragma once

namespace sdpa {

// Values; in memory, wherever they are.
using Four = double __attribute__((vector_size(32)));
struct __attribute__((packed, may_alias)) FourInMemory {
  Four all;
};

}  // namespace sdpa
