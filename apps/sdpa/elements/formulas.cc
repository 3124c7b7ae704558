#include "apps/sdpa/elements/formulas.h"

#include <cblas.h>

#include <algorithm>

namespace sdpa {
namespace {

std::size_t At(int index) { return static_cast<std::size_t>(index); }

}  // namespace

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

}  // namespace sdpa
