// The matrices, and the check of a product.
//
// Entries are small whole numbers, so that sums are exact in every order and a
// right product equals the reference in every bit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lwt/workloads/sgemm.h"

namespace matmul {

// Four gigabytes; sums would stay exact, below 2^24, up to sixteen times that.
inline constexpr int kLargestN = 16384;

// A value: n x n matrices A, B, C and the product A B.
class Matrices {
 public:
  // `n`: a multiple of the leaf, up to kLargestN.
  Matrices(int n, unsigned seed);

  int n() const { return n_; }
  sgemm::Block Whole() { return {a_.data(), b_.data(), c_.data(), n_, n_, n_, n_}; }

  // The part of one worker when `depth` spawns have divided the product.
  sgemm::Block PartOfOne(int depth);

  // Fills C with NaN: Check finds entries that are not written.
  void Forget();

  // Is the block's C the product of its A and B? DataLoss names a wrong entry.
  absl::Status Check(const sgemm::Block& block, const std::string& what) const;

 private:
  int n_;
  std::vector<float> a_, b_, c_;
  std::vector<float> product_;  // of the whole
};

}  // namespace matmul
