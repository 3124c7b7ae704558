#include "apps/sdpa/schur/plain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/sdpa/elements/choice.h"
#include "apps/sdpa/elements/formulas.h"
#include "apps/sdpa/elements/rank_one.h"
#include "lwt/parallel.h"

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

// A value: a view of B.
struct LowerTriangle {
  std::size_t constraints = 0;
  std::span<double> elements;

  void Add(std::size_t i, std::size_t j, double value) const {
    elements[std::max(i, j) * constraints + std::min(i, j)] += value;
  }
};

// Calls body(begin, end) for pieces of `count` columns, several threads.
template <typename Body>
void ForColumns(std::size_t count, const Body& body) {
  constexpr std::size_t kPieces = 64;
  const auto grain = static_cast<std::int64_t>((count + kPieces - 1) / kPieces);
  lwt::ParallelFor(0, static_cast<std::int64_t>(count), std::max<std::int64_t>(1, grain),
                   [&](std::int64_t begin, std::int64_t end) {
                     body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
                   });
}

void AddDense(const std::vector<Part>& parts, const DenseBlock& y, const DenseBlock& inverse,
              const LowerTriangle& b) {
  const std::size_t n = y.size;
  std::vector<std::size_t> left(parts.size() + 1, 0);  // elements of a part and of all after it
  for (std::size_t j = parts.size(); j-- > 0;) left[j] = left[j + 1] + parts[j].non_zeros;
  ForColumns(parts.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> product(n * n), u(n * n);
    for (std::size_t j = begin; j < end; ++j) {
      const Part& column = parts[j];
      const Formula formula = CostsOf(n, column.non_zeros, left[j]).cheapest();
      if (formula != Formula::kF3) TimesInverse(inverse, column.elements, product);
      if (formula == Formula::kF1) Sandwich(y, product, u);
      for (std::size_t i = j; i < parts.size(); ++i) {
        const std::span<const Element> f_i = parts[i].elements;
        const double value = formula == Formula::kF1   ? ByF1(f_i, {n, u})
                             : formula == Formula::kF2 ? ByF2(f_i, y, {n, product})
                                                       : ByF3(f_i, column.elements, y, inverse);
        b.Add(parts[i].constraint, column.constraint, value);
      }
    }
  });
}

// tr(F_i Y F_j X^-1) of diagonals; F_j once as a whole, so that others' elements are found in it.
void AddDiagonal(const std::vector<Part>& parts, std::span<const double> y,
                 std::span<const double> inverse, const LowerTriangle& b) {
  ForColumns(parts.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> column(y.size(), 0);
    for (std::size_t j = begin; j < end; ++j) {
      for (const Element& element : parts[j].elements) {
        const auto k = static_cast<std::size_t>(element.row);
        column[k] = element.value * y[k] * inverse[k];
      }
      for (std::size_t i = j; i < parts.size(); ++i) {
        double value = 0;
        for (const Element& element : parts[i].elements) {
          value += element.value * column[static_cast<std::size_t>(element.row)];
        }
        if (value != 0) b.Add(parts[i].constraint, parts[j].constraint, value);
      }
      for (const Element& element : parts[j].elements) {
        column[static_cast<std::size_t>(element.row)] = 0;
      }
    }
  });
}

}  // namespace

void PlainSchur(const Problem& problem, const Layout& layout, std::span<const double> y,
                std::span<const double> inverse, std::span<double> b) {
  std::fill(b.begin(), b.end(), 0);
  const LowerTriangle triangle = {problem.constraints(), b};
  const std::vector<std::vector<Part>> all_parts = PartsOf(problem);
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const std::size_t at = layout.begin[l], count = layout.begin[l + 1] - at;
    const auto y_of = y.subspan(at, count), inverse_of = inverse.subspan(at, count);
    const auto n = static_cast<std::size_t>(problem.blocks[l].size);
    if (problem.blocks[l].shape == Shape::kDense) {
      AddDense(all_parts[l], {n, y_of}, {n, inverse_of}, triangle);
    } else {
      AddDiagonal(all_parts[l], y_of, inverse_of, triangle);
    }
  }
}

}  // namespace sdpa
