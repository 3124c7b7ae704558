#include "llcl/atomics.h"

#include <algorithm>
#include <atomic>

#include "llcl/atomic_result.h"

namespace llcl {
namespace {

template <AtomicWord T>
void CombineAs(AtomicOp op, std::span<std::byte> to, std::span<const std::byte> from) {
  for (std::size_t at = 0; at + sizeof(T) <= to.size(); at += sizeof(T)) {
    T mine, other;
    std::memcpy(&mine, to.data() + at, sizeof mine);
    std::memcpy(&other, from.data() + at, sizeof other);
    mine = ResultOf(op, mine, other);
    std::memcpy(to.data() + at, &mine, sizeof mine);
  }
}

// f(a value of the type).
template <typename F>
auto As(AtomicType type, F f) {
  switch (type) {
    case AtomicType::kI32:
      return f(std::int32_t());
    case AtomicType::kU32:
      return f(std::uint32_t());
    case AtomicType::kI64:
      return f(std::int64_t());
    case AtomicType::kU64:
      return f(std::uint64_t());
    case AtomicType::kFloat:
      return f(float());
    case AtomicType::kDouble:
      break;
  }
  return f(double());
}

}  // namespace

template <AtomicWord T>
std::uint64_t internal::ApplyByLoop(AtomicOp op, void* word, std::uint64_t operand) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const std::atomic_ref<Bits> bits(*static_cast<Bits*>(word));
  Bits old = bits.load(std::memory_order_relaxed);
  while (!bits.compare_exchange_weak(
      old, static_cast<Bits>(ToBits(ResultOf(op, FromBits<T>(old), FromBits<T>(operand)))))) {
  }
  return old;
}
template std::uint64_t internal::ApplyByLoop<std::int32_t>(AtomicOp, void*, std::uint64_t);
template std::uint64_t internal::ApplyByLoop<std::uint32_t>(AtomicOp, void*, std::uint64_t);
template std::uint64_t internal::ApplyByLoop<std::int64_t>(AtomicOp, void*, std::uint64_t);
template std::uint64_t internal::ApplyByLoop<std::uint64_t>(AtomicOp, void*, std::uint64_t);
template std::uint64_t internal::ApplyByLoop<float>(AtomicOp, void*, std::uint64_t);
template std::uint64_t internal::ApplyByLoop<double>(AtomicOp, void*, std::uint64_t);

std::uint64_t Apply(AtomicType type, AtomicOp op, void* word, std::uint64_t operand,
                    std::uint64_t expected) {
  return As(type, [&]<typename T>(T) { return Apply<T>(op, word, operand, expected); });
}

void Combine(AtomicType type, AtomicOp op, std::span<std::byte> to,
             std::span<const std::byte> from) {
  As(type, [&]<typename T>(T) { CombineAs<T>(op, to, from); });
}

}  // namespace llcl
