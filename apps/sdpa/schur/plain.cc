#include "apps/sdpa/schur/plain.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "apps/sdpa/elements/choice.h"
#include "apps/sdpa/elements/formulas.h"

namespace sdpa {
namespace {

// A constraint's elements in one block.
struct Part {
  std::size_t constraint = 0;  // from 0 on: of F_1
  std::span<const Element> elements;
  std::size_t non_zeros = 0;
};

// By block, the fullest first, so that each column pairs its matrix with emptier ones.
std::vector<std::vector<Part>> PartsOf(const Problem& problem) {
  std::vector<std::vector<Part>> parts(problem.blocks.size());
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    for (const auto& [block, elements] : problem.matrices[i + 1]) {
      parts[static_cast<std::size_t>(block)].push_back({i, elements, NonZeros(elements)});
    }
  }
  for (std::vector<Part>& of_block : parts) {
    std::stable_sort(of_block.begin(), of_block.end(),
                     [](const Part& a, const Part& b) { return a.non_zeros > b.non_zeros; });
  }
  return parts;
}

class Sums {
 public:
  Sums(std::size_t constraints, std::vector<double>& b) : constraints_(constraints), b_(b) {}
  void Add(std::size_t i, std::size_t j, double value) {
    b_[std::max(i, j) * constraints_ + std::min(i, j)] += value;
  }

 private:
  std::size_t constraints_;
  std::vector<double>& b_;
};

void AddDense(const std::vector<Part>& parts, const DenseBlock& y, const DenseBlock& inverse,
              Sums sums) {
  const std::size_t n = y.size;
  std::vector<double> product(n * n), u(n * n);
  std::size_t left = 0;  // elements of this column's matrix and of all after it
  for (const Part& part : parts) left += part.non_zeros;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const Part& column = parts[j];
    const Formula formula = CostsOf(n, column.non_zeros, left).cheapest();
    left -= column.non_zeros;
    if (formula != Formula::kF3) TimesInverse(inverse, column.elements, product);
    if (formula == Formula::kF1) Sandwich(y, product, u);
    for (std::size_t i = j; i < parts.size(); ++i) {
      const std::span<const Element> f_i = parts[i].elements;
      const double value = formula == Formula::kF1   ? ByF1(f_i, {n, u})
                           : formula == Formula::kF2 ? ByF2(f_i, y, {n, product})
                                                     : ByF3(f_i, column.elements, y, inverse);
      sums.Add(parts[i].constraint, column.constraint, value);
    }
  }
}

// tr(F_i Y F_j X^-1) of diagonals; F_j once as a whole, so that others' elements are found in it.
void AddDiagonal(const std::vector<Part>& parts, std::span<const double> y,
                 std::span<const double> inverse, Sums sums) {
  std::vector<double> column(y.size(), 0);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    for (const Element& element : parts[j].elements) {
      const auto k = static_cast<std::size_t>(element.row);
      column[k] = element.value * y[k] * inverse[k];
    }
    for (std::size_t i = j; i < parts.size(); ++i) {
      double value = 0;
      for (const Element& element : parts[i].elements) {
        value += element.value * column[static_cast<std::size_t>(element.row)];
      }
      if (value != 0) sums.Add(parts[i].constraint, parts[j].constraint, value);
    }
    for (const Element& element : parts[j].elements) {
      column[static_cast<std::size_t>(element.row)] = 0;
    }
  }
}

}  // namespace

std::vector<double> SchurMatrix(const Problem& problem, const BlockMatrix<double>& y,
                                const BlockMatrix<double>& x_inverse) {
  const std::size_t m = problem.constraints();
  std::vector<double> b(m * m, 0);
  const std::vector<std::vector<Part>> all_parts = PartsOf(problem);
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const std::vector<Part>& parts = all_parts[l];
    const auto n = static_cast<std::size_t>(problem.blocks[l].size);
    if (problem.blocks[l].shape == Shape::kDense) {
      AddDense(parts, {n, y.elements(l)}, {n, x_inverse.elements(l)}, {m, b});
    } else {
      AddDiagonal(parts, y.elements(l), x_inverse.elements(l), {m, b});
    }
  }
  return b;
}

}  // namespace sdpa
