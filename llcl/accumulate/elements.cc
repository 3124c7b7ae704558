#include "llcl/accumulate/elements.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "llcl/atomic_result.h"

namespace llcl {
namespace {

// f(a value of the type); nothing where there is no such type.
template <typename F>
void As(ElementType type, F f) {
  switch (type) {
    case ElementType::kI8:
      return f(std::int8_t());
    case ElementType::kU8:
      return f(std::uint8_t());
    case ElementType::kI16:
      return f(std::int16_t());
    case ElementType::kU16:
      return f(std::uint16_t());
    case ElementType::kI32:
      return f(std::int32_t());
    case ElementType::kU32:
      return f(std::uint32_t());
    case ElementType::kI64:
      return f(std::int64_t());
    case ElementType::kU64:
      return f(std::uint64_t());
    case ElementType::kU128:
      return f(Unsigned128());
    case ElementType::kFloat:
      return f(float());
    case ElementType::kDouble:
      return f(double());
    case ElementType::kComplexFloat:
      return f(std::complex<float>());
    case ElementType::kComplexDouble:
      return f(std::complex<double>());
  }
}

#if defined(__x86_64__)
// cmpxchg16b, which all but the earliest x86-64 processors have. Else clang would inline the
// function into callers that are not compiled for the instruction, and call a library function
// instead, which does not exist.
#define LLCL_TARGET_OF_CAS16 __attribute__((target("cx16"), noinline))
#else
#define LLCL_TARGET_OF_CAS16
#endif

// Returns the value before, which was `old` where the word is changed.
LLCL_TARGET_OF_CAS16 Unsigned128 CompareAndSwap(Unsigned128* word, Unsigned128 old,
                                                Unsigned128 desired) {
  return __sync_val_compare_and_swap(word, old, desired);
}

template <typename T>
void Change(AtomicOp op, std::byte* to, T operand) {
  if constexpr (sizeof(T) == sizeof(Unsigned128)) {
    auto* const word = reinterpret_cast<Unsigned128*>(to);
    Unsigned128 old = 0, found = 0;
    // Any value will do at first: the comparison reads the word.
    while ((found = CompareAndSwap(
                word, old,
                std::bit_cast<Unsigned128>(ResultOf(op, std::bit_cast<T>(old), operand)))) != old) {
      old = found;
    }
  } else {
    using Bits = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    const std::atomic_ref<Bits> word(*reinterpret_cast<Bits*>(to));
    Bits old = word.load(std::memory_order_relaxed);
    while (!word.compare_exchange_weak(
        old, std::bit_cast<Bits>(ResultOf(op, std::bit_cast<T>(old), operand)))) {
    }
  }
}

}  // namespace

std::size_t BytesOf(ElementType type) {
  std::size_t bytes = 0;
  As(type, [&](auto value) { bytes = sizeof value; });
  return bytes;
}

bool CanAccumulate(ElementType type, AtomicOp op) {
  bool can = false;
  As(type, [&]<typename T>(T) {
    switch (op) {
      case AtomicOp::kAdd:
      case AtomicOp::kProduct:
      case AtomicOp::kSwap:
        can = true;
        break;
      case AtomicOp::kMin:
      case AtomicOp::kMax:
        can = std::totally_ordered<T>;
        break;
      case AtomicOp::kAnd:
      case AtomicOp::kOr:
      case AtomicOp::kXor:
        can = std::numeric_limits<T>::is_integer;
        break;
      case AtomicOp::kCompareSwap:
        break;
    }
  });
  return can;
}

bool AccumulateElements(ElementType type, AtomicOp op, std::byte* to,
                        std::span<const std::byte> from) {
  bool did = false;
  As(type, [&]<typename T>(T) {
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(T) != 0 || from.size() % sizeof(T) != 0) {
      return;
    }
    did = true;
    for (std::size_t at = 0; at < from.size(); at += sizeof(T)) {
      T operand;
      std::memcpy(static_cast<void*>(&operand), from.data() + at, sizeof operand);
      Change<T>(op, to + at, operand);
    }
  });
  return did;
}

}  // namespace llcl
