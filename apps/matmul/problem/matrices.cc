#include "apps/matmul/problem/matrices.h"

#include <algorithm>
#include <limits>
#include <random>

#include "apps/matmul/problem/reference.h"

namespace matmul {
namespace {

constexpr int kLargestEntry = 8;

std::vector<float> WholeNumbers(std::size_t size, std::minstd_rand& random) {
  std::vector<float> numbers(size);
  for (float& number : numbers) {
    number =
        static_cast<float>(static_cast<int>(random() % (2 * kLargestEntry + 1)) - kLargestEntry);
  }
  return numbers;
}

}  // namespace

Matrices::Matrices(int n, unsigned seed) : n_(n) {
  const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::minstd_rand random(seed);
  a_ = WholeNumbers(size, random);
  b_ = WholeNumbers(size, random);
  c_.resize(size);
  product_.resize(size);
  sgemm::Block whole = Whole();
  whole.c = product_.data();
  Reference(whole, n);
  Forget();
}

sgemm::Block Matrices::PartOfOne(int depth) {
  sgemm::Block block = Whole();
  while (depth > 0) {
    const sgemm::Axis axis = sgemm::AxisToHalve(block.m, block.n, block.p);
    if (axis == sgemm::Axis::kNone) break;
    block = sgemm::Halve(block, axis).second;  // the larger one
    if (axis != sgemm::Axis::kInner) --depth;
  }
  return block;
}

void Matrices::Forget() {
  std::fill(c_.begin(), c_.end(), std::numeric_limits<float>::quiet_NaN());
}

absl::Status Matrices::Check(const sgemm::Block& block, const std::string& what) const {
  std::vector<float> part;
  const float* expected = product_.data();
  if (block.m != n_ || block.n != n_ || block.p != n_) {
    part.resize(static_cast<std::size_t>(block.m) * static_cast<std::size_t>(block.n));
    sgemm::Block reference = block;
    reference.c = part.data();
    Reference(reference, block.n);
    expected = part.data();
  }
  for (int i = 0; i < block.m; ++i) {
    const float* const is = block.c + static_cast<std::ptrdiff_t>(i) * block.ld;
    const float* const should = expected + static_cast<std::ptrdiff_t>(i) * block.n;
    for (int j = 0; j < block.n; ++j) {
      if (is[j] == should[j]) continue;
      return absl::DataLossError("wrong answer of " + what + ": C(" + std::to_string(i) + ", " +
                                 std::to_string(j) + ") is " + std::to_string(is[j]) +
                                 ", expected " + std::to_string(should[j]));
    }
  }
  return absl::OkStatus();
}

}  // namespace matmul
