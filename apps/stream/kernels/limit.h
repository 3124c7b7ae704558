// The floor under Triad: two arrays read, one written, and nothing computed.
//
// A bare loop of loads, one bitwise or, and non-temporal stores, without
// prefetch or unrolling. It moves the bytes of a Triad without write-allocate
// and so shows what this machine's memory gives to that mix at this moment.
#pragma once

#include <string>
#include <vector>

#include "apps/stream/kernels/kernel.h"

namespace stream {

// A value. sink = bits of b | bits of c.
struct Limit {
  std::string name;  // "avx2", "avx512", "ordinary stores"
  Store store = Store::kNonTemporal;
  Sweep sweep = nullptr;
};

// The widths that this processor can run, at least one.
std::vector<Limit> Limits();

}  // namespace stream
