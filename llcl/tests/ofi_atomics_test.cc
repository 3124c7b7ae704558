#include <gtest/gtest.h>

#include "llcl/ofi/atomics.h"
#include "llcl/ofi/fabric.h"

namespace llcl {
namespace {

TEST(OfiAtomics, AreCalledAsLibfabricCallsThem) {
  EXPECT_EQ(ToOfi(AtomicType::kI32, AtomicOp::kAdd).type, FI_INT32);
  EXPECT_EQ(ToOfi(AtomicType::kI32, AtomicOp::kAdd).op, FI_SUM);
  EXPECT_EQ(ToOfi(AtomicType::kDouble, AtomicOp::kMin).type, FI_DOUBLE);
  EXPECT_EQ(ToOfi(AtomicType::kDouble, AtomicOp::kMin).op, FI_MIN);
  EXPECT_EQ(ToOfi(AtomicType::kU64, AtomicOp::kXor).op, FI_BXOR);
  EXPECT_EQ(ToOfi(AtomicType::kU64, AtomicOp::kSwap).op, FI_ATOMIC_WRITE);
}

TEST(OfiAtomics, SwapFloatsByTheirBits) {
  EXPECT_EQ(ToOfi(AtomicType::kFloat, AtomicOp::kCompareSwap).type, FI_UINT32);
  EXPECT_EQ(ToOfi(AtomicType::kDouble, AtomicOp::kCompareSwap).type, FI_UINT64);
  EXPECT_EQ(ToOfi(AtomicType::kDouble, AtomicOp::kSwap).type, FI_UINT64);
}

TEST(OfiAtomics, AreAllThereOverTcp) {
  auto fabric = OfiFabric::Open("tcp;ofi_rxm", "127.0.0.1");
  ASSERT_TRUE(fabric.ok()) << fabric.status();
  const OfiAtomics atomics((*fabric)->messages());
  for (int type = 0; type < 6; ++type) {
    for (int op = 0; op < 8; ++op) {
      const auto one = static_cast<AtomicType>(type);
      EXPECT_EQ(atomics.Has(one, static_cast<AtomicOp>(op)), Exists(one, static_cast<AtomicOp>(op)))
          << type << " " << op;
    }
  }
}

}  // namespace
}  // namespace llcl
