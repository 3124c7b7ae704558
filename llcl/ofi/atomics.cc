#include "llcl/ofi/atomics.h"

#include <rdma/fi_atomic.h>

namespace llcl {

OfiAtomic ToOfi(AtomicType type, AtomicOp op) {
  constexpr std::array<fi_datatype, 6> kTypes = {FI_INT32,  FI_UINT32, FI_INT64,
                                                 FI_UINT64, FI_FLOAT,  FI_DOUBLE};
  constexpr std::array<fi_op, 9> kOps = {FI_SUM,  FI_MIN,          FI_MAX,   FI_BAND, FI_BOR,
                                         FI_BXOR, FI_ATOMIC_WRITE, FI_CSWAP, FI_PROD};
  if (op == AtomicOp::kSwap || op == AtomicOp::kCompareSwap) {
    type = BytesOf(type) == 4 ? AtomicType::kU32 : AtomicType::kU64;
  }
  return {kTypes[static_cast<std::size_t>(type)], kOps[static_cast<std::size_t>(op)]};
}

OfiAtomics::OfiAtomics(fid_ep* endpoint) {
  for (std::size_t type = 0; type < kTypes; ++type) {
    for (std::size_t op = 0; op < kOps; ++op) {
      if (!Exists(static_cast<AtomicType>(type), static_cast<AtomicOp>(op))) continue;
      const OfiAtomic ofi = ToOfi(static_cast<AtomicType>(type), static_cast<AtomicOp>(op));
      const auto asks = ofi.op == FI_CSWAP ? fi_compare_atomicvalid : fi_fetch_atomicvalid;
      std::size_t most_words = 0;
      has_[type][op] = asks(endpoint, ofi.type, ofi.op, &most_words) == 0 && most_words >= 1;
    }
  }
}

}  // namespace llcl
