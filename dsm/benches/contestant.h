// What the programs of one bench differ in: an object file of its own for each, so that the bench
// is compiled once.
#pragma once

#include <cstdint>

namespace vicinity {

struct Contestant {
  const char* name;  // "dsm", or "dsm_" and its engine
  std::uint64_t page_bytes;
  const char* conduit;  // llcl's: "smp" or "tcp"
};

extern const Contestant contestant;

}  // namespace vicinity
