#include "apps/sdpa/solve/memory.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/bytes.h"
#include "apps/program/memory.h"
#include "apps/sdpa/elements/memory.h"

namespace sdpa {

double BytesOfBlockMatrices(const std::vector<Block>& blocks, bool is_double_double) {
  double elements = 0;
  for (const auto& [shape, size] : blocks) {
    elements += shape == Shape::kDense ? static_cast<double>(size) * size : size;
  }
  constexpr double kMatrices = 20;
  return (is_double_double ? 16 : 8) * kMatrices * elements;
}

absl::StatusOr<double> BytesLeft(const Problem& problem, bool is_double_double,
                                 std::optional<double> most_bytes) {
  if (!most_bytes) {
    const auto available = program::AvailableBytes();
    if (!available) return std::numeric_limits<double>::infinity();
    most_bytes = static_cast<double>(*available);
  }
  const double needed =
      BytesOfBlockMatrices(problem.blocks, is_double_double) + BytesOfColumns(problem);
  if (*most_bytes > needed) return *most_bytes - needed;
  return absl::ResourceExhaustedError(
      absl::StrCat("the blocks' matrices and the problem's elements need ",
                   program::FormatBytes(needed), "; there is ", program::FormatBytes(*most_bytes)));
}

}  // namespace sdpa
