#include "apps/sdpa/elements/memory.h"

#include <algorithm>
#include <cstddef>

#include "apps/sdpa/elements/pairs.h"
#include "apps/sdpa/elements/picks.h"
#include "apps/sdpa/elements/terms.h"

namespace sdpa {
namespace {

// What an allocation takes for itself, and loses to its alignment.
constexpr double kOfAllocation = 24;
// Vectors that grow have on average so many times their elements.
constexpr double kGrowth = 1.5;

double BytesOfDense(double elements, double n) {
  // There are no more terms than rows with elements, and an element is in a row and in a column.
  const double terms = std::min(2 * elements, n);
  const double of_term = kGrowth * sizeof(Term) + 4 * kOfAllocation + sizeof(int) + sizeof(double);
  const double of_terms = terms * of_term + kGrowth * 2 * elements * (sizeof(int) + sizeof(double));
  const double of_picks = elements * (sizeof(double) + sizeof(PickRun));
  return of_terms + of_picks + elements * sizeof(Entry) + sizeof(std::vector<Term>) +
         sizeof(void*) + 2 * kOfAllocation;
}

}  // namespace

double BytesOfColumns(const Problem& problem) {
  constexpr double kOfDiagonal = sizeof(Entry) + kGrowth * 2 * sizeof(double);
  constexpr double kOfPart = kGrowth * (sizeof(Part) + 2 * sizeof(std::size_t) + sizeof(int));
  double bytes = 0;
  for (const SparseMatrix& matrix : problem.matrices) {
    bytes += 2 * (sizeof(SparseMatrix) + kOfAllocation) + sizeof(double);
    for (const auto& [number, elements] : matrix) {
      const Block& block = problem.blocks[static_cast<std::size_t>(number)];
      const auto count = static_cast<double>(elements.size());
      const double copy = sizeof(BlockElements) + kOfAllocation + count * sizeof(Element);
      bytes +=
          copy + kOfPart +
          (block.shape == Shape::kDense ? BytesOfDense(count, block.size) : count * kOfDiagonal);
    }
  }
  for (const Block& block : problem.blocks) {
    // A diagonal block's lists by row.
    if (block.shape == Shape::kDiagonal) bytes += block.size * (24.0 + kOfAllocation);
  }
  return bytes;
}

}  // namespace sdpa
