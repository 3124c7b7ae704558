#include "apps/sdpa/files/sparse_elements.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/files/number_text.h"

namespace sdpa {
namespace {

absl::StatusOr<GivenElement> ReadElement(Tokens& tokens, const std::vector<Block>& blocks,
                                         int first, int last) {
  const auto matrix = tokens.Whole("the number of a matrix", first, last, Words::kRefused);
  if (!matrix.ok()) return matrix.status();
  const auto block =
      tokens.Whole("the number of a block", 1, static_cast<int>(blocks.size()), Words::kRefused);
  if (!block.ok()) return block.status();
  const Block& of = blocks[static_cast<std::size_t>(*block - 1)];
  const auto row = tokens.Whole("a row", 1, of.size, Words::kRefused);
  if (!row.ok()) return row.status();
  const auto column = tokens.Whole("a column", 1, of.size, Words::kRefused);
  if (!column.ok()) return column.status();
  const auto value = tokens.Number("the value of an element", Words::kRefused);
  if (!value.ok()) return value.status();
  if (of.shape == Shape::kDiagonal && *row != *column) {
    return tokens.Error(absl::StrCat("row ", *row, ", column ", *column,
                                     " is not on the diagonal of block ", *block,
                                     ", which has no more"));
  }
  return GivenElement{*matrix,
                      *block - 1,
                      {std::min(*row, *column) - 1, std::max(*row, *column) - 1, *value},
                      tokens.line()};
}

}  // namespace

absl::StatusOr<std::vector<GivenElement>> ReadElements(Tokens& tokens,
                                                       const std::vector<Block>& blocks, int first,
                                                       int last) {
  std::vector<GivenElement> all;
  while (!tokens.AtEnd()) {
    const auto given = ReadElement(tokens, blocks, first, last);
    if (!given.ok()) return given.status();
    all.push_back(*given);
  }
  const auto place = [](const GivenElement& given) {
    return std::tuple(given.matrix, given.block, given.element.row, given.element.column);
  };
  std::stable_sort(all.begin(), all.end(), [&](const GivenElement& a, const GivenElement& b) {
    return place(a) < place(b);
  });
  std::vector<GivenElement> kept;
  kept.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [matrix, block, element, line] = all[i];
    if (i > 0 && place(all[i - 1]) == place(all[i])) {
      if (all[i - 1].element.value == element.value) continue;
      return tokens.ErrorAt(
          line, absl::StrCat("row ", element.row + 1, ", column ", element.column + 1, " of block ",
                             block + 1, " of matrix ", matrix, " was ",
                             Shortest(all[i - 1].element.value), " in line ", all[i - 1].line,
                             ", and is ", Shortest(element.value)));
    }
    if (element.value != 0) kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace sdpa
