#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/c/objects.h"
#include "apps/sdpa/c/sdpa.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/files/read_bytes.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

absl::Status CheckElement(const Problem& problem, int matrix, int block, int row, int column,
                          double value) {
  absl::Status status = CheckNumber("matrix", matrix, 0, problem.constraints());
  if (status.ok()) status = CheckNumber("block", block, 1, problem.blocks.size());
  if (!status.ok()) return status;
  const Block& of = problem.blocks[static_cast<std::size_t>(block - 1)];
  const auto size = static_cast<std::size_t>(of.size);
  status = CheckNumber("row", row, 1, size);
  if (status.ok()) status = CheckNumber("column", column, 1, size);
  if (status.ok() && of.shape == Shape::kDiagonal && row != column) {
    status = absl::InvalidArgumentError(
        absl::StrCat("row ", row, ", column ", column, ": block ", block, " is diagonal"));
  }
  if (status.ok() && !std::isfinite(value)) {
    status = absl::InvalidArgumentError(absl::StrCat("an element is ", value));
  }
  return status;
}

}  // namespace

int Done(const absl::Status& status) {
  if (status.ok()) return 0;
  Refuse(status);
  return -1;
}

absl::Status CheckNumber(const char* name, int number, int least, std::size_t most) {
  if (number >= least && (number < 0 || static_cast<std::size_t>(number) <= most)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, " ", number, ": expected ", least, " to ", most));
}

absl::Status CheckPointers(std::initializer_list<Given> given) {
  for (const auto& [name, pointer] : given) {
    if (pointer != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(name, " is a null pointer"));
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const sdpa_problem& problem, const sdpa_solution& solution) {
  if (solution.values.x.size() == problem.problem.constraints() &&
      solution.blocks == problem.problem.blocks) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("the solution is one of a problem of other sizes");
}

}  // namespace sdpa

using sdpa::CheckPointers;
using sdpa::Done;
using sdpa::Guarded;
using sdpa::Refuse;

sdpa::Problem sdpa_problem::Whole() const {
  if (added.empty()) return problem;
  std::vector<sdpa::Added> all;
  for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
    for (const sdpa::BlockElements& part : problem.matrices[i]) {
      for (const sdpa::Element& element : part.elements) {
        all.push_back({static_cast<int>(i), part.block, element});
      }
    }
  }
  all.insert(all.end(), added.begin(), added.end());
  const auto place = [](const sdpa::Added& one) {
    return std::tuple(one.matrix, one.block, one.element.row, one.element.column);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const sdpa::Added& a, const sdpa::Added& b) { return place(a) < place(b); });
  sdpa::Problem whole = {problem.blocks, problem.costs, {}};
  whole.matrices.resize(problem.matrices.size());
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(
        first, all.end(), [&](const sdpa::Added& one) { return place(one) != place(*first); });
    sdpa::Element sum = first->element;
    for (auto next = std::next(first); next != last; ++next) sum.value += next->element.value;
    if (sum.value != 0) {
      sdpa::SparseMatrix& matrix = whole.matrices[static_cast<std::size_t>(first->matrix)];
      if (matrix.empty() || matrix.back().block != first->block) {
        matrix.push_back({first->block, {}});
      }
      matrix.back().elements.push_back(sum);
    }
    first = last;
  }
  return whole;
}

const char* sdpa_last_error(void) { return program::LastError().c_str(); }

sdpa_problem* sdpa_problem_new(int constraints, int blocks, const int* sizes) {
  return Guarded([&]() -> sdpa_problem* {
    if (Done(CheckPointers({{"sizes", sizes}})) != 0) return nullptr;
    if (constraints < 1 || blocks < 1) {
      Refuse(absl::InvalidArgumentError(absl::StrCat(constraints, " constraints and ", blocks,
                                                     " blocks, expected at least one of each")));
      return nullptr;
    }
    sdpa::Problem problem;
    for (int l = 0; l < blocks; ++l) {
      if (sizes[l] == 0 || sizes[l] == std::numeric_limits<int>::min()) {
        Refuse(absl::InvalidArgumentError(absl::StrCat("block ", l + 1, " has no rows")));
        return nullptr;
      }
      problem.blocks.push_back(sizes[l] < 0 ? sdpa::Block{sdpa::Shape::kDiagonal, -sizes[l]}
                                            : sdpa::BlockOfRows(sizes[l]));
    }
    problem.costs.resize(static_cast<std::size_t>(constraints));
    problem.matrices.resize(problem.costs.size() + 1);
    return new sdpa_problem{std::move(problem), {}};
  });
}

sdpa_problem* sdpa_problem_read(const char* file) {
  return Guarded([&]() -> sdpa_problem* {
    if (Done(CheckPointers({{"file", file}})) != 0) return nullptr;
    const auto bytes = sdpa::ReadBytes(file);
    auto problem = bytes.ok() ? sdpa::Parse(sdpa::FormatOf(file), file, *bytes)
                              : absl::StatusOr<sdpa::Problem>(bytes.status());
    if (problem.ok()) return new sdpa_problem{*std::move(problem), {}};
    Refuse(problem.status());
    return nullptr;
  });
}

void sdpa_problem_free(sdpa_problem* problem) { delete problem; }

int sdpa_problem_set_cost(sdpa_problem* problem, int constraint, double value) {
  if (Done(CheckPointers({{"problem", problem}})) != 0) return -1;
  absl::Status status =
      sdpa::CheckNumber("constraint", constraint, 1, problem->problem.constraints());
  if (status.ok() && !std::isfinite(value)) {
    status = absl::InvalidArgumentError(absl::StrCat("a cost is ", value));
  }
  if (status.ok()) problem->problem.costs[static_cast<std::size_t>(constraint - 1)] = value;
  return Done(status);
}

int sdpa_problem_add(sdpa_problem* problem, int matrix, int block, int row, int column,
                     double value) {
  return Guarded([&] {
    if (Done(CheckPointers({{"problem", problem}})) != 0) return -1;
    const absl::Status status =
        sdpa::CheckElement(problem->problem, matrix, block, row, column, value);
    if (status.ok()) {
      problem->added.push_back(
          {matrix, block - 1, {std::min(row, column) - 1, std::max(row, column) - 1, value}});
    }
    return Done(status);
  });
}

int sdpa_problem_constraints(const sdpa_problem* problem) {
  return static_cast<int>(problem->problem.constraints());
}

int sdpa_problem_blocks(const sdpa_problem* problem) {
  return static_cast<int>(problem->problem.blocks.size());
}

int sdpa_problem_block_size(const sdpa_problem* problem, int block) {
  const auto& blocks = problem->problem.blocks;
  if (block < 1 || static_cast<std::size_t>(block) > blocks.size()) return 0;
  const auto& [shape, size] = blocks[static_cast<std::size_t>(block - 1)];
  return shape == sdpa::Shape::kDense ? size : -size;
}
