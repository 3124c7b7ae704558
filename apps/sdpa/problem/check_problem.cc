#include "apps/sdpa/problem/check_problem.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace sdpa {
namespace {

absl::Status Fault(const std::string& sentence) { return absl::InvalidArgumentError(sentence); }

absl::Status CheckBlock(const BlockElements& part, const Block& block, std::size_t matrix) {
  const auto name = [&] { return absl::StrCat("F_", matrix, ", block ", part.block); };
  if (part.elements.empty()) return Fault(name() + " has no element");
  const Element* before = nullptr;
  for (const Element& element : part.elements) {
    const auto& [row, column, value] = element;
    // Of a fault only: there are millions of elements.
    const auto place = [&, row = row, column = column] {
      return absl::StrCat(name(), ", row ", row, ", column ", column);
    };
    if (row < 0 || column < row || column >= block.size) {
      return Fault(absl::StrCat(place(), ": expected 0 <= row <= column < ", block.size));
    }
    if (block.shape == Shape::kDiagonal && row != column) {
      return Fault(place() + " is not on the diagonal of a diagonal block");
    }
    if (!std::isfinite(value)) return Fault(absl::StrCat(place(), " is ", value));
    if (before != nullptr &&
        std::tie(before->row, before->column) >= std::tie(element.row, element.column)) {
      return Fault(
          absl::StrCat(place(), " is not after row ", before->row, ", column ", before->column));
    }
    before = &element;
  }
  return absl::OkStatus();
}

absl::Status CheckMatrix(const SparseMatrix& matrix, const std::vector<Block>& blocks,
                         std::size_t number) {
  int before = -1;
  for (const BlockElements& part : matrix) {
    const auto name = [&] { return absl::StrCat("F_", number, ", block ", part.block); };
    if (part.block < 0 || static_cast<std::size_t>(part.block) >= blocks.size()) {
      return Fault(absl::StrCat(name(), ": there are ", blocks.size(), " blocks, from 0 on"));
    }
    if (part.block <= before) return Fault(absl::StrCat(name(), " is not after block ", before));
    before = part.block;
    const auto& block = blocks[static_cast<std::size_t>(part.block)];
    if (auto status = CheckBlock(part, block, number); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckProblem(const Problem& problem) {
  const auto& [blocks, costs, matrices] = problem;
  if (costs.empty()) return Fault("there is no constraint");
  if (blocks.empty()) return Fault("there is no block");
  if (matrices.size() != costs.size() + 1) {
    return Fault(absl::StrCat("there are ", matrices.size(), " matrices, expected ",
                              costs.size() + 1, ": F_0 and one for each constraint"));
  }
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    if (blocks[l].size < 1) {
      return Fault(absl::StrCat("block ", l, " has ", blocks[l].size, " rows"));
    }
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!std::isfinite(costs[i])) return Fault(absl::StrCat("c_", i + 1, " is ", costs[i]));
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (auto status = CheckMatrix(matrices[i], blocks, i); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace sdpa
