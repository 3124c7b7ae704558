#include "apps/sdpa/files/formats.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/files/number_text.h"
#include "apps/sdpa/files/sparse_elements.h"
#include "apps/sdpa/files/tokens.h"

namespace sdpa {
namespace {

// Of a block; 10^5 x 10^5 elements are 80 GB.
constexpr int kLargestBlock = 100'000;
constexpr int kMostConstraints = 10'000'000;

absl::StatusOr<Problem> ParseHeader(Tokens& tokens) {
  tokens.SkipTitles();
  const auto constraints =
      tokens.Whole("the number of constraints", 1, kMostConstraints, Words::kPassed);
  if (!constraints.ok()) return constraints.status();
  tokens.SkipLine();
  const auto blocks = tokens.Whole("the number of blocks", 1, kMostConstraints, Words::kPassed);
  if (!blocks.ok()) return blocks.status();
  tokens.SkipRemark();
  Problem problem;
  for (int i = 1; i <= *blocks; ++i) {
    const auto size = tokens.Whole(absl::StrCat("the size of block ", i), -kMostConstraints,
                                   kLargestBlock, Words::kPassed);
    if (!size.ok()) return size.status();
    if (*size == 0) return tokens.Error(absl::StrCat("block ", i, " has no rows"));
    problem.blocks.push_back(*size > 1 ? Block{Shape::kDense, *size}
                                       : Block{Shape::kDiagonal, *size < 0 ? -*size : 1});
  }
  tokens.SkipRemark();
  for (int i = 1; i <= *constraints; ++i) {
    const auto cost = tokens.Number(absl::StrCat("c_", i), Words::kPassed);
    if (!cost.ok()) return cost.status();
    problem.costs.push_back(*cost);
  }
  tokens.SkipRemark();
  problem.matrices.resize(problem.constraints() + 1);
  return problem;
}

absl::Status ParseSparse(Tokens& tokens, Problem& problem) {
  const auto all = ReadElements(tokens, problem.blocks, 0, static_cast<int>(problem.constraints()));
  if (!all.ok()) return all.status();
  for (const auto& [matrix, block, element, line] : *all) {
    SparseMatrix& to = problem.matrices[static_cast<std::size_t>(matrix)];
    if (to.empty() || to.back().block != block) to.push_back({block, {}});
    to.back().elements.push_back(element);
  }
  return absl::OkStatus();
}

absl::Status ParseDense(Tokens& tokens, Problem& problem) {
  for (std::size_t matrix = 0; matrix < problem.matrices.size(); ++matrix) {
    for (std::size_t block = 0; block < problem.blocks.size(); ++block) {
      const Block& of = problem.blocks[block];
      const auto size = static_cast<std::size_t>(of.size);
      const std::string what =
          absl::StrCat("an element of block ", block + 1, " of matrix ", matrix);
      std::vector<Element> elements;
      std::vector<double> above;  // the upper triangle, row by row
      for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column < (of.shape == Shape::kDense ? size : 1); ++column) {
          const auto value = tokens.Number(what, Words::kRefused);
          if (!value.ok()) return value.status();
          const std::size_t at = of.shape == Shape::kDense ? column : row;
          if (at < row) {
            const double mirrored = above[at * size - at * (at + 1) / 2 + row];
            if (mirrored == *value) continue;
            return tokens.Error(absl::StrCat(
                "row ", row + 1, ", column ", at + 1, " of block ", block + 1, " of matrix ",
                matrix, " is ", Shortest(*value), ", its mirror image is ", Shortest(mirrored)));
          }
          if (of.shape == Shape::kDense) above.push_back(*value);
          if (*value == 0) continue;
          elements.push_back({static_cast<int>(row), static_cast<int>(at), *value});
        }
      }
      if (!elements.empty()) {
        problem.matrices[matrix].push_back({static_cast<int>(block), std::move(elements)});
      }
    }
  }
  if (tokens.AtEnd()) return absl::OkStatus();
  return tokens.ErrorAt(tokens.next_line(), "there is more after the last matrix");
}

void AppendDense(const Problem& problem, const SparseMatrix& matrix, std::string& text) {
  auto part = matrix.begin();
  for (std::size_t block = 0; block < problem.blocks.size(); ++block) {
    const Block& of = problem.blocks[block];
    const auto size = static_cast<std::size_t>(of.size);
    const std::size_t columns = of.shape == Shape::kDense ? size : 1;
    std::vector<double> all(size * columns, 0);
    if (part != matrix.end() && part->block == static_cast<int>(block)) {
      for (const auto [row, column, value] : part->elements) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        if (of.shape == Shape::kDiagonal) {
          all[i] = value;
        } else {
          all[i * size + j] = all[j * size + i] = value;
        }
      }
      ++part;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool ends = of.shape == Shape::kDense ? (i + 1) % size == 0 : i + 1 == size;
      absl::StrAppend(&text, Shortest(all[i]), ends ? "\n" : " ");
    }
  }
}

}  // namespace

Format FormatOf(std::string_view file) {
  return file.ends_with(".dat") ? Format::kDense : Format::kSparse;
}

bool HasIntegers(std::string_view bytes) {
  return bytes.starts_with("*INTEGER") || bytes.find("\n*INTEGER") != std::string_view::npos;
}

double NumbersOfDenseText(const Problem& problem) {
  double elements = 0;
  for (const Block& block : problem.blocks) {
    elements += static_cast<double>(block.size) * (block.shape == Shape::kDense ? block.size : 1);
  }
  return elements * static_cast<double>(problem.matrices.size());
}

absl::StatusOr<Problem> Parse(Format format, const std::string& file, std::string_view bytes) {
  Tokens tokens(file, bytes);
  absl::StatusOr<Problem> problem = ParseHeader(tokens);
  if (!problem.ok()) return problem;
  absl::Status status =
      format == Format::kSparse ? ParseSparse(tokens, *problem) : ParseDense(tokens, *problem);
  if (!status.ok()) return status;
  return problem;
}

std::string ToText(Format format, const Problem& problem) {
  std::string text = absl::StrCat(problem.constraints(), "\n", problem.blocks.size(), "\n");
  for (const Block& block : problem.blocks) {
    absl::StrAppend(&text, block.shape == Shape::kDiagonal ? -block.size : block.size, " ");
  }
  text.back() = '\n';
  for (const double cost : problem.costs) absl::StrAppend(&text, Shortest(cost), " ");
  text.back() = '\n';
  for (std::size_t matrix = 0; matrix < problem.matrices.size(); ++matrix) {
    if (format == Format::kDense) {
      AppendDense(problem, problem.matrices[matrix], text);
      continue;
    }
    for (const auto& [block, elements] : problem.matrices[matrix]) {
      for (const auto [row, column, value] : elements) {
        absl::StrAppend(&text, matrix, " ", block + 1, " ", row + 1, " ", column + 1, " ",
                        Shortest(value), "\n");
      }
    }
  }
  return text;
}

}  // namespace sdpa
