#include "apps/sdpa/proof/opposite_rows.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "apps/sdpa/proof/exact.h"

namespace sdpa {
namespace {

using Long = long double;

// Is a b - c d exactly 0? By the roundings of both products, of which none is lost: numbers between
// 1/2 and 1 neither overflow nor underflow.
bool AreSame(double a, double b, double c, double d) {
  const auto [left, left_exponent] = ProductOf(a, b);
  const auto [right, right_exponent] = ProductOf(c, d);
  const int shift = left_exponent - right_exponent;
  if (std::abs(shift) > 1) return false;
  const auto rest = [](double one, double other, double product) {
    int unused = 0;
    return std::fma(std::frexp(one, &unused), std::frexp(other, &unused), -product);
  };
  return std::ldexp(left, shift) == right &&
         std::ldexp(rest(a, b, left), shift) == rest(c, d, right);
}

bool AreExactlyParallel(const LinearRow& one, const LinearRow& other) {
  for (std::size_t i = 0; i < one.terms.size(); ++i) {
    if (!AreSame(one.terms[i].factor, other.terms[0].factor, other.terms[i].factor,
                 one.terms[0].factor)) {
      return false;
    }
  }
  return true;
}

Long NormOf(const std::vector<Coefficient>& sum) {
  Long squares = 0;
  for (const auto [constraint, factor] : sum) squares += static_cast<Long>(factor) * factor;
  return std::sqrt(squares);
}

Long DotOf(const std::vector<Coefficient>& one, const std::vector<Coefficient>& other) {
  Long dot = 0;
  auto next = other.begin();
  for (const auto [constraint, factor] : one) {
    while (next != other.end() && next->constraint < constraint) ++next;
    if (next == other.end()) break;
    if (next->constraint == constraint) dot += static_cast<Long>(factor) * next->factor;
  }
  return dot;
}

}  // namespace

OppositeRows OppositeRowsOf(const Problem& problem) {
  OppositeRows opposite;
  for (const Block& block : problem.blocks) {
    opposite.has.emplace_back(static_cast<std::size_t>(block.size), false);
  }
  const std::vector<LinearRow> rows = LinearRowsOf(problem);
  for (const auto& group : ParallelRowsOf(rows)) {
    std::vector<const LinearRow*> exact;
    bool has_positive = false, has_negative = false;
    for (const LinearRow* row : group) {
      if (!AreExactlyParallel(*group[0], *row)) continue;
      exact.push_back(row);
      (row->terms[0].factor > 0 ? has_positive : has_negative) = true;
    }
    if (!has_positive || !has_negative) continue;
    opposite.sums.push_back(group[0]->terms);
    for (const LinearRow* row : exact) {
      const auto [block, number] = row->place;
      opposite.has[static_cast<std::size_t>(block)][static_cast<std::size_t>(number)] = true;
    }
  }
  return opposite;
}

std::optional<MovedX> MovedToZeros(const OppositeRows& rows, const std::vector<double>& x) {
  MovedX moved = {.x = {x.begin(), x.end()}, .left = 0};
  const std::size_t n = rows.sums.size();
  constexpr std::size_t kMost = 1500;  // some seconds
  if (n > kMost) return std::nullopt;
  std::vector<Long> norms, gram(n * n);
  for (const auto& sum : rows.sums) norms.push_back(NormOf(sum));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      gram[i * n + j] = gram[j * n + i] = DotOf(rows.sums[i], rows.sums[j]) / (norms[i] * norms[j]);
    }
  }
  // A bound of its least eigenvalue.
  constexpr Long kLeast = 1e-12L;
  Long least = 0.1L;
  while (least >= kLeast && !ExactCholesky(std::span<const Long>(gram), n, -least)) least /= 10;
  const auto factor = ExactCholesky(std::span<const Long>(gram), n, Long(0));
  if (least < kLeast || !factor) return std::nullopt;
  constexpr int kTimes = 3;
  for (int time = 0; time <= kTimes; ++time) {
    std::vector<Long> residual(n, 0);
    Long squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Long sizes = 0;
      for (const auto [constraint, value] : rows.sums[i]) {
        residual[i] += value * moved.x[constraint];
        sizes += std::abs(value * moved.x[constraint]);
      }
      const Long roundings = 1e-18L * static_cast<Long>(rows.sums[i].size() + 2) * sizes;
      const Long most = (std::abs(residual[i]) + roundings) / norms[i];
      residual[i] /= norms[i];
      squares += most * most;
    }
    moved.left = std::sqrt(squares / least);
    if (time == kTimes) break;
    SolveByCholesky(*factor, n, residual);
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto [constraint, value] : rows.sums[i]) {
        moved.x[constraint] -= residual[i] / norms[i] * value;
      }
    }
  }
  return moved;
}

}  // namespace sdpa
