// STREAM's four kernels: what they compute and how their bytes are counted.
//
//   Copy   c = a          Add    c = a + b
//   Scale  b = s * c      Triad  a = b + s * c
//
// Pure. Source: J. D. McCalpin, STREAM; [ULIBC14] section 3.3.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "apps/program/words.h"

namespace stream {

enum class Kernel { kCopy, kScale, kAdd, kTriad };

inline constexpr std::array kKernels = {Kernel::kCopy, Kernel::kScale, Kernel::kAdd,
                                        Kernel::kTriad};
inline constexpr double kScalar = 3.0;

// "copy", "scale", "add", "triad".
std::string_view ToString(Kernel kernel);

// A value. One thread's elements of the arrays; `sink` is null where the limit
// is not measured.
struct Part {
  double* a = nullptr;
  double* b = nullptr;
  double* c = nullptr;
  double* sink = nullptr;
  std::int64_t size = 0;
};

// Runs one kernel over one part. Any size, any alignment that a double has.
using Sweep = void (*)(const Part& part);

// How a kernel's stores reach memory.
enum class Store {
  kOrdinary,     // by way of the cache, which first reads the line (write-allocate)
  kNonTemporal,  // around the cache
};
inline constexpr program::Words<Store> kStores = {{Store::kOrdinary, "ordinary"},
                                                  {Store::kNonTemporal, "non-temporal"}};
constexpr std::string_view ToString(Store store) { return kStores.Print(store); }

// A value. The four kernels in one way of writing them.
struct Code {
  std::string name;  // "plain", "avx2", "avx2, prefetch 32 ahead"
  Store store = Store::kOrdinary;
  std::array<Sweep, kKernels.size()> sweeps{};

  Sweep operator[](Kernel kernel) const { return sweeps[static_cast<std::size_t>(kernel)]; }
};

// Bytes an element by STREAM's rule: what the kernel names, each once.
double CountedBytes(Kernel kernel);

// Bytes an element that cross the memory bus: one array more where stores
// write-allocate.
double MovedBytes(Kernel kernel, Store store);

}  // namespace stream
