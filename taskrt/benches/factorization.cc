#include "taskrt/benches/factorization.h"

#include <cmath>
#include <random>

namespace factorization {
namespace {

constexpr std::size_t kSize = kN;

// The diagonal outweighs each row.
template <typename T>
void Fill(std::vector<T>& values) {
  values.resize(kSize * kSize);
  std::mt19937_64 random(20201122);
  std::uniform_real_distribution<T> number(-1, 1);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = i; j < kSize; ++j) {
      values[i * kSize + j] = values[j * kSize + i] = number(random);
    }
    values[i * kSize + i] += static_cast<T>(kSize);
  }
}

// Ax against Uᵀ(Ux).
template <typename T>
bool IsFactor(const std::vector<T>& u, const std::vector<T>& a, double tolerance) {
  std::vector<double> x(kSize), ax(kSize), ux(kSize), utux(kSize);
  for (std::size_t i = 0; i < kSize; ++i) x[i] = std::sin(static_cast<double>(i + 1));
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) ax[i] += a[i * kSize + j] * x[j];
    for (std::size_t j = i; j < kSize; ++j) ux[i] += u[i * kSize + j] * x[j];
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = i; j < kSize; ++j) utux[j] += u[i * kSize + j] * ux[i];
  }
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    difference += (ax[i] - utux[i]) * (ax[i] - utux[i]);
    norm += ax[i] * ax[i];
  }
  return std::sqrt(difference / norm) < tolerance;  // False for what is no number.
}

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
  precision == cholesky::Precision::kF32 ? Fill(original32_) : Fill(original64_);
  values32_ = original32_;
  values64_ = original64_;
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

void Problem::Reset() {
  values32_ = original32_;
  values64_ = original64_;
}

bool Problem::IsRight() const {
  return precision_ == cholesky::Precision::kF32 ? IsFactor(values32_, original32_, 1e-5)
                                                 : IsFactor(values64_, original64_, 1e-13);
}

taskrt::Tile Problem::TileAt(int row, int column) {
  const auto side = static_cast<std::size_t>(block_);
  const std::size_t at =
      (static_cast<std::size_t>(row) * kSize + static_cast<std::size_t>(column)) * side;
  const bool is_f32 = precision_ == cholesky::Precision::kF32;
  const std::size_t bytes = is_f32 ? sizeof(float) : sizeof(double);
  auto* const data = is_f32 ? reinterpret_cast<std::byte*>(values32_.data() + at)
                            : reinterpret_cast<std::byte*>(values64_.data() + at);
  return {data, side, side * bytes, kSize * bytes};
}

}  // namespace factorization
