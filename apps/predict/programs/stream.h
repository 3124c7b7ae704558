// STREAM's Triad on a described machine: the threads, parts and places of the arrays are those of
// apps/stream; what is predicted is how long their lines take to come and go.
//
// Pure. Source: [ULIBC14] section 3.3, figures 2, 3 and 8.
#pragma once

#include <cstdint>

#include "apps/predict/machine/machine.h"
#include "apps/stream/arrays/where.h"
#include "apps/stream/kernels/kernel.h"
#include "topo/mapping.h"

namespace predict {

struct StreamOptions {
  stream::Where where = stream::Where::kLocal;  // threads that nothing binds: always first touch
  stream::Store store = stream::Store::kOrdinary;
  double elements = 1 << 27;
  int repetitions = 10;    // the best counts, as in stream.c
  std::uint64_t seed = 1;  // of where threads are that nothing binds
};

// Nanoseconds. Precondition: the mapping is of the machine's topology.
double TriadNs(const Machine& machine, const topo::Mapping& mapping, const StreamOptions& options);

}  // namespace predict
