#include "apps/sdpa/elements/formulas.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

namespace sdpa {
namespace {

std::size_t At(int index) { return static_cast<std::size_t>(index); }

}  // namespace

std::size_t NonZeros(std::span<const Element> matrix) {
  std::size_t count = 0;
  for (const Element& element : matrix) count += element.row == element.column ? 1 : 2;
  return count;
}

void TimesInverse(const DenseBlock& inverse, std::span<const Element> f_j,
                  std::span<double> product) {
  const std::size_t n = inverse.size;
  std::fill(product.begin(), product.end(), 0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::span<const double> from = inverse.row(k);
    const std::span<double> to = product.subspan(k * n, n);
    for (const auto [row, column, value] : f_j) {
      to[At(column)] += from[At(row)] * value;
      if (row != column) to[At(row)] += from[At(column)] * value;
    }
  }
}

void Sandwich(const DenseBlock& y, std::span<const double> product, std::span<double> u) {
  const int n = static_cast<int>(y.size);
  // Y (X^-1 F_j)' = Y F_j X^-1.
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, y.elements.data(), n,
              product.data(), n, 0, u.data(), n);
}

double ByF1(std::span<const Element> f_i, const DenseBlock& u) {
  double sum = 0;
  for (const auto [row, column, value] : f_i) {
    sum += value * (row == column ? u.at(row, row) : u.at(row, column) + u.at(column, row));
  }
  return sum;
}

double ByF2(std::span<const Element> f_i, const DenseBlock& y, const DenseBlock& product) {
  // U_rc is row r of Y times row c of X^-1 F_j.
  const auto u = [&](int row, int column) {
    const std::span<const double> one = y.row(At(row)), two = product.row(At(column));
    double sum = 0;
    for (std::size_t k = 0; k < y.size; ++k) sum += one[k] * two[k];
    return sum;
  };
  double sum = 0;
  for (const auto [row, column, value] : f_i) {
    sum += value * (row == column ? u(row, row) : u(row, column) + u(column, row));
  }
  return sum;
}

double ByF3(std::span<const Element> f_i, std::span<const Element> f_j, const DenseBlock& y,
            const DenseBlock& inverse) {
  const auto u = [&](int row, int column) {
    double sum = 0;
    for (const auto [a, b, value] : f_j) {
      double product = y.at(row, a) * inverse.at(b, column);
      if (a != b) product += y.at(row, b) * inverse.at(a, column);
      sum += value * product;
    }
    return sum;
  };
  double sum = 0;
  for (const auto [row, column, value] : f_i) {
    sum += value * (row == column ? u(row, row) : u(row, column) + u(column, row));
  }
  return sum;
}

std::optional<RankOne> AsRankOne(std::span<const Element> matrix) {
  // The largest element of a a' is on its diagonal.
  const Element* pivot = nullptr;
  for (const Element& element : matrix) {
    if (element.row != element.column) continue;
    if (pivot == nullptr || std::abs(element.value) > std::abs(pivot->value)) pivot = &element;
  }
  if (pivot == nullptr) return std::nullopt;
  RankOne rank_one = {.scale = pivot->value > 0 ? 1.0 : -1.0, .rows = {}, .values = {}};
  const double root = std::sqrt(std::abs(pivot->value));
  std::vector<Element> of_pivot;  // its column, by row
  for (const Element& element : matrix) {
    if (element.column == pivot->row) of_pivot.push_back({element.row, 0, element.value});
    if (element.row == pivot->row && element.column != pivot->row) {
      of_pivot.push_back({element.column, 0, element.value});
    }
  }
  std::sort(of_pivot.begin(), of_pivot.end(),
            [](const Element& a, const Element& b) { return a.row < b.row; });
  for (const Element& element : of_pivot) {
    rank_one.rows.push_back(element.row);
    rank_one.values.push_back(rank_one.scale * element.value / root);
  }
  const std::size_t n = rank_one.rows.size();
  if (NonZeros(matrix) != n * n) return std::nullopt;
  constexpr double kLastBits = 8 * 2.220446049250313e-16;
  std::size_t i = 0, j = 0;  // the next element of a a', row by row
  for (const Element& element : matrix) {
    if (element.row != rank_one.rows[i] || element.column != rank_one.rows[j]) return std::nullopt;
    const double product = rank_one.scale * rank_one.values[i] * rank_one.values[j];
    if (std::abs(element.value - product) > kLastBits * std::abs(product)) return std::nullopt;
    if (++j == n) j = ++i;
  }
  return rank_one;
}

}  // namespace sdpa
