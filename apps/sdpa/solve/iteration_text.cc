#include "apps/sdpa/solve/iteration_text.h"

#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "apps/program/table.h"

namespace sdpa {
namespace {

// Each word under the others of its column: lines come one by one.
std::string LineOf(const std::array<std::string, 8>& words) {
  constexpr std::size_t kWidths[] = {9, 13, 14, 12, 18, 16, 13, 11};
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t size = words[i].size();
    line.append(size < kWidths[i] ? kWidths[i] - size : 1, ' ').append(words[i]);
  }
  return line + "\n";
}

}  // namespace

std::string HeadOfIterations() {
  return LineOf({"iteration", "mu", "primal error", "dual error", "primal objective",
                 "dual objective", "primal step", "dual step"});
}

std::string ToText(const Iteration& iteration) {
  const Quality& quality = iteration.quality;
  return LineOf({absl::StrCat(iteration.number), absl::StrCat(quality.mu),
                 absl::StrCat(quality.primal_error), absl::StrCat(quality.dual_error),
                 absl::StrCat(quality.primal), absl::StrCat(quality.dual),
                 program::Fixed(iteration.primal_step, 3), program::Fixed(iteration.dual_step, 3)});
}

}  // namespace sdpa
