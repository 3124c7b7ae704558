#include "apps/sdpa/elements/pairs.h"

#include "apps/sdpa/linear/for_each_processor.h"
#include "apps/sdpa/linear/four.h"

namespace sdpa {
namespace {

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
        const Four of_b = reinterpret_cast<const FourInMemory*>(b + t)->all;
#if defined(__clang__)
        const Four crossed = __builtin_shufflevector(of_b, of_b, 2, 3, 0, 1);
#else
        const Four crossed = __builtin_shuffle(of_b, Order{2, 3, 0, 1});
#endif
        of_entry += reinterpret_cast<const FourInMemory*>(a + t)->all * crossed;
      }
      sum += entry->value * of_entry;
    }
    sums[part->constraint] += (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
}

}  // namespace sdpa
