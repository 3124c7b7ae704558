#include "taskrt/benches/factorization.h"

#include <cstdint>

namespace factorization {
namespace {

constexpr std::size_t kSize = kN;

constexpr std::size_t kLine = 64;  // of the cache
std::uintptr_t Address(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); }

absl::Status Copy(std::span<const taskrt::Tile> tiles, std::span<const std::byte>) {
  CopyRows(tiles[0], tiles[1]);
  return absl::OkStatus();
}

}  // namespace

Problem::Problem(cholesky::Precision precision, int block)
    : precision_(precision), block_(block), count_(kN / block) {
  using enum cholesky::Kernel;
  for (const cholesky::Kernel kernel : {kPotrf, kTrsm, kSyrk, kGemm}) {
    bodies_[static_cast<std::size_t>(kernel)] = cholesky::BodyOf(kernel, precision);
  }
  if (precision == cholesky::Precision::kF32) {
    matrix32_.emplace(kN);
  } else {
    matrix64_.emplace(kN);
  }
  bodies_[kCopy] = Copy;
  const std::size_t count = cholesky::BlocksOf(count_);
  tiles_.resize(2 * count);
  const std::uint64_t bytes = TileAt(0, 0).bytes();
  packed_.resize(count * bytes + kLine);
  std::byte* const first = packed_.data() + kLine - Address(packed_.data()) % kLine;
  for (int row = 0; row < count_; ++row) {
    for (int column = row; column < count_; ++column) {
      const taskrt::BlockId block = cholesky::BlockAt(row, column, count_);
      tiles_[count + block] = TileAt(row, column);
      tiles_[block] = Packed(tiles_[count + block], first + block * bytes);
    }
  }
}

void Problem::Reset() { matrix32_ ? matrix32_->Reset() : matrix64_->Reset(); }

bool Problem::IsRight() const { return matrix32_ ? matrix32_->IsRight() : matrix64_->IsRight(); }

taskrt::Tile Problem::TileAt(int row, int column) {
  const auto side = static_cast<std::size_t>(block_);
  const std::size_t at =
      (static_cast<std::size_t>(row) * kSize + static_cast<std::size_t>(column)) * side;
  const std::size_t bytes = matrix32_ ? sizeof(float) : sizeof(double);
  auto* const data = matrix32_ ? reinterpret_cast<std::byte*>(floats() + at)
                               : reinterpret_cast<std::byte*>(doubles() + at);
  return {data, side, side * bytes, kSize * bytes};
}

}  // namespace factorization
