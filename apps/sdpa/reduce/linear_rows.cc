#include "apps/sdpa/reduce/linear_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace sdpa {
namespace {

// By block and row: has a matrix an element beside the diagonal there?
std::vector<std::vector<bool>> RowsThatAreMixed(const Problem& problem) {
  std::vector<std::vector<bool>> mixed;
  for (const Block& block : problem.blocks) {
    mixed.emplace_back(static_cast<std::size_t>(block.size), false);
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const auto& [block, elements] : matrix) {
      std::vector<bool>& rows = mixed[static_cast<std::size_t>(block)];
      for (const auto [row, column, value] : elements) {
        if (row == column) continue;
        rows[static_cast<std::size_t>(row)] = rows[static_cast<std::size_t>(column)] = true;
      }
    }
  }
  return mixed;
}

// The same for rows whose terms are the same up to a factor, positive or not.
std::uint64_t HashOf(const std::vector<Coefficient>& terms) {
  std::uint64_t hash = terms.size();
  for (const auto [constraint, factor] : terms) {
    // The quotient's last bits depend on the factor.
    const auto quotient = static_cast<float>(factor / terms[0].factor);
    hash ^= constraint * 0x9e3779b97f4a7c15 + std::bit_cast<std::uint32_t>(quotient);
    hash = std::rotl(hash * 0xbf58476d1ce4e5b9, 29);
  }
  return hash;
}

constexpr double kRoundings = 8 * std::numeric_limits<double>::epsilon();

bool AreParallel(const std::vector<Coefficient>& one, const std::vector<Coefficient>& other) {
  const double of_one = one[0].factor, of_other = other[0].factor;
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](const Coefficient& a, const Coefficient& b) {
                      if (a.constraint != b.constraint) return false;
                      const auto [left, left_exponent] = ProductOf(a.factor, of_other);
                      const auto [right, right_exponent] = ProductOf(b.factor, of_one);
                      const int shift = left_exponent - right_exponent;
                      return std::abs(shift) <= 1 && std::abs(std::ldexp(left, shift) - right) <=
                                                         kRoundings * std::abs(right);
                    });
}

// Of rows that are parallel; none where they leave more than a value, or none.
std::optional<Equality> EqualityOf(const std::vector<const LinearRow*>& rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Equality equality;
  double least = -kInfinity, most = kInfinity;  // of the first row's sum
  for (const LinearRow* row : rows) {
    const double factor = row->terms[0].factor / rows[0]->terms[0].factor;
    const double bound = row->constant / factor;
    // Of numbers whose ratio no double has an equality says nothing.
    if (!std::isnormal(factor) || !std::isfinite(bound)) return std::nullopt;
    if (factor > 0 && bound > least) {
      least = bound;
      equality.above = equality.members.size();
    }
    if (factor < 0 && bound < most) {
      most = bound;
      equality.below = equality.members.size();
    }
    equality.members.push_back({row->place, factor, row->constant});
  }
  if (!std::isfinite(least) || !std::isfinite(most)) return std::nullopt;
  if (std::abs(most - least) > kRoundings * std::max(std::abs(least), std::abs(most))) {
    return std::nullopt;
  }
  // In the numbers of one row: these are not rounded.
  const LinearRow& row = *rows[equality.above];
  equality.terms = row.terms;
  equality.constant = row.constant;
  const double unit = equality.members[equality.above].factor;
  for (Equality::Member& member : equality.members) member.factor /= unit;
  return equality;
}

}  // namespace

std::vector<LinearRow> LinearRowsOf(const Problem& problem) {
  const auto mixed = RowsThatAreMixed(problem);
  std::vector<LinearRow> rows;
  std::vector<std::vector<std::size_t>> numbers;  // by block and row, of a linear one
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    std::vector<std::size_t>& of_block = numbers.emplace_back();
    for (int row = 0; row < problem.blocks[l].size; ++row) {
      of_block.push_back(rows.size());
      if (mixed[l][static_cast<std::size_t>(row)]) continue;
      rows.push_back({.place = {static_cast<int>(l), row}, .terms = {}, .constant = 0});
    }
  }
  for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
    for (const auto& [block, elements] : problem.matrices[i]) {
      const auto l = static_cast<std::size_t>(block);
      for (const auto [row, column, value] : elements) {
        const auto r = static_cast<std::size_t>(row);
        if (mixed[l][r] || value == 0) continue;
        LinearRow& linear = rows[numbers[l][r]];
        if (i == 0) {
          linear.constant = value;
        } else {
          linear.terms.push_back({i - 1, value});
        }
      }
    }
  }
  return rows;
}

std::vector<std::vector<const LinearRow*>> ParallelRowsOf(const std::vector<LinearRow>& rows) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;  // by hash, of rows
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].terms.empty()) order.emplace_back(HashOf(rows[i].terms), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::vector<const LinearRow*>> groups;
  for (auto begin = order.begin(); begin != order.end();) {
    std::vector<const LinearRow*> group;
    const LinearRow& first = rows[begin->second];
    auto end = begin;
    for (; end != order.end() && end->first == begin->first; ++end) {
      const LinearRow& row = rows[end->second];
      if (AreParallel(first.terms, row.terms)) group.push_back(&row);
    }
    if (group.size() > 1) groups.push_back(std::move(group));
    begin = end;
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& one, const auto& other) { return one[0] < other[0]; });
  return groups;
}

std::vector<Equality> EqualitiesOf(const std::vector<LinearRow>& rows) {
  std::vector<Equality> equalities;
  for (const auto& group : ParallelRowsOf(rows)) {
    if (auto equality = EqualityOf(group)) equalities.push_back(*std::move(equality));
  }
  return equalities;
}

}  // namespace sdpa
