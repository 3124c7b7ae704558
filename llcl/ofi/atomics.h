// llcl's atomics as libfabric's types and operations, and which of them an endpoint has.
//
// Swaps and compare-swaps of floats are those of integers of their size, so that they
// compare bits, as atomics.h says.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstddef>

#include "llcl/atomics.h"

namespace llcl {

// A value.
struct OfiAtomic {
  fi_datatype type = FI_UINT64;
  fi_op op = FI_SUM;
};
OfiAtomic ToOfi(AtomicType type, AtomicOp op);

// A value: queried once, at the start.
class OfiAtomics {
 public:
  OfiAtomics() = default;
  explicit OfiAtomics(fid_ep* endpoint);

  // With a fetch: llcl uses no others.
  bool Has(AtomicType type, AtomicOp op) const {
    return has_[static_cast<std::size_t>(type)][static_cast<std::size_t>(op)];
  }

 private:
  static constexpr std::size_t kTypes = 6, kOps = 9;
  std::array<std::array<bool, kOps>, kTypes> has_{};
};

}  // namespace llcl
