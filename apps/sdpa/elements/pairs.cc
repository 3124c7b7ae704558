#include "apps/sdpa/elements/pairs.h"

namespace sdpa {
namespace {

// For the processor that it runs on. Sanitizers do not stand what chooses a function while the
// program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SDPA_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define SDPA_FOR_EACH_PROCESSOR
#endif

using Four = double __attribute__((vector_size(32)));
struct __attribute__((packed, may_alias)) Pairs {
  Four all;
};
using Order = long long __attribute__((vector_size(32)));

}  // namespace

SDPA_FOR_EACH_PROCESSOR
void AddParts(std::span<const Part> parts, std::span<const Entry> entries, const double* pairs,
              std::size_t width, Sums<double> sums) {
  const Part* part = parts.data();
  const Part* const last = part + parts.size();
  const Entry* const all = entries.data();
  if (width == 2) {
    for (; part != last; ++part) {
      if (part->is_by_terms) continue;
      double sum = 0;
      for (const Entry *entry = all + part->begin, *end = all + part->end; entry != end; ++entry) {
        const double* const a = pairs + static_cast<std::size_t>(entry->row) * 2;
        const double* const b = pairs + static_cast<std::size_t>(entry->column) * 2;
        sum += entry->value * (a[0] * b[1] + a[1] * b[0]);
      }
      sums[part->constraint] += sum;
    }
    return;
  }
  for (; part != last; ++part) {
    if (part->is_by_terms) continue;
    Four sum = {};
    for (const Entry *entry = all + part->begin, *end = all + part->end; entry != end; ++entry) {
      const double* const a = pairs + static_cast<std::size_t>(entry->row) * width;
      const double* const b = pairs + static_cast<std::size_t>(entry->column) * width;
      Four of_entry = {};
      for (std::size_t t = 0; t < width; t += 4) {
        const Four of_b = reinterpret_cast<const Pairs*>(b + t)->all;
#if defined(__clang__)
        const Four crossed = __builtin_shufflevector(of_b, of_b, 2, 3, 0, 1);
#else
        const Four crossed = __builtin_shuffle(of_b, Order{2, 3, 0, 1});
#endif
        of_entry += reinterpret_cast<const Pairs*>(a + t)->all * crossed;
      }
      sum += entry->value * of_entry;
    }
    sums[part->constraint] += (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
}

}  // namespace sdpa
