#include "apps/sdpa/linear/block_matrix.h"

namespace sdpa {

Layout::Layout(const std::vector<Block>& of_problem)
    : blocks(of_problem),
      begin{0},
      spares_of_all(
          std::make_shared<std::tuple<SpareVectors<double>, SpareVectors<DoubleDouble>>>()) {
  double work = 0;
  for (const Block& block : blocks) {
    const auto size = static_cast<std::size_t>(block.size);
    const bool is_dense = block.shape == Shape::kDense;
    rows += size;
    begin.push_back(begin.back() + (is_dense ? size * size : size));
    work += is_dense ? static_cast<double>(size * size * size) : static_cast<double>(size);
  }
  // Blocks of some ten thousand multiplications in all are worth a thread.
  constexpr double kWorth = 3e4;
  const double mean = std::max(1.0, work / static_cast<double>(blocks.size()));
  grain = static_cast<std::int64_t>(std::max(1.0, kWorth / mean));
}

}  // namespace sdpa
