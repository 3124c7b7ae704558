#include "llcl/atomics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "llcl/atomic_result.h"

namespace llcl {
namespace {

// By blocks of one vector, which the compiler keeps in a register. Blocks of 64 bytes go through
// memory, and take twice the time.
template <AtomicOp kOp, AtomicWord T>
void CombineBy(std::span<std::byte> to, std::span<const std::byte> first,
               std::span<const std::byte> second) {
  constexpr std::size_t kBlock = 16, kElements = kBlock / sizeof(T);
  const auto combine = [&](std::size_t at, std::size_t bytes) {
    std::array<T, kElements> a = {}, b = {};
    std::memcpy(a.data(), first.data() + at, bytes);
    std::memcpy(b.data(), second.data() + at, bytes);
    for (std::size_t i = 0; i < kElements; ++i) a[i] = ResultOf(kOp, a[i], b[i]);
    std::memcpy(to.data() + at, a.data(), bytes);
  };
  const std::size_t all = to.size() / sizeof(T) * sizeof(T);
  std::size_t at = 0;
  for (; at + kBlock <= all; at += kBlock) combine(at, kBlock);
  if (at < all) combine(at, all - at);
}

template <AtomicWord T>
void CombineAs(AtomicOp op, std::span<std::byte> to, std::span<const std::byte> first,
               std::span<const std::byte> second) {
  using enum AtomicOp;
  switch (op) {
    case kAdd:
      return CombineBy<kAdd, T>(to, first, second);
    case kMin:
      return CombineBy<kMin, T>(to, first, second);
    case kMax:
      return CombineBy<kMax, T>(to, first, second);
    case kAnd:
      return CombineBy<kAnd, T>(to, first, second);
    case kOr:
      return CombineBy<kOr, T>(to, first, second);
    case kXor:
      return CombineBy<kXor, T>(to, first, second);
    case kProduct:
      return CombineBy<kProduct, T>(to, first, second);
    case kSwap:
    case kCompareSwap:
      return CombineBy<kSwap, T>(to, first, second);
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
             std::span<const std::byte> first, std::span<const std::byte> second) {
  As(type, [&]<typename T>(T) { CombineAs<T>(op, to, first, second); });
}

}  // namespace llcl
