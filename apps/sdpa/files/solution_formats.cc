#include "apps/sdpa/files/solution_formats.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/program/words.h"
#include "apps/sdpa/files/number_text.h"
#include "apps/sdpa/files/sparse_elements.h"
#include "apps/sdpa/files/tokens.h"

namespace sdpa {
namespace {

constexpr program::Words<SdpaPhase> kSdpaPhases = {
    {SdpaPhase::kNoInformation, "noINFO"},
    {SdpaPhase::kPrimalFeasible, "pFEAS"},
    {SdpaPhase::kDualFeasible, "dFEAS"},
    {SdpaPhase::kBothFeasible, "pdFEAS"},
    {SdpaPhase::kBothInfeasible, "pdINF"},
    {SdpaPhase::kPrimalFeasibleDualInfeasible, "pFEAS_dINF"},
    {SdpaPhase::kPrimalInfeasibleDualFeasible, "pINF_dFEAS"},
    {SdpaPhase::kOptimal, "pdOPT"},
    {SdpaPhase::kPrimalUnbounded, "pUNBD"},
    {SdpaPhase::kDualUnbounded, "dUNBD"}};

// With its sign, as all numbers of SDPA's.
std::string Signed(double value, double low = 0) {
  return absl::StrCat(std::signbit(value) ? "" : "+", Digits(value, low));
}

// A value: numbers, and the second ones of pairs, if they are pairs.
struct Numbers {
  const std::vector<double>& high;
  const std::vector<double>* low = nullptr;

  double low_of(std::size_t i) const { return low == nullptr || low->empty() ? 0 : (*low)[i]; }
};
struct Blocks {
  const std::vector<std::vector<double>>& high;
  const std::vector<std::vector<double>>& low;

  Numbers operator[](std::size_t l) const { return {high[l], low.empty() ? nullptr : &low[l]}; }
};

// "{a,b,c", where it ends with what the reader of SDPA's braces expects of a row or of a diagonal.
void AppendRow(const Numbers& numbers, std::size_t first, std::size_t count, std::string_view end,
               std::string& text) {
  for (std::size_t i = first; i < first + count; ++i) {
    absl::StrAppend(&text, i == first ? "{" : ",", Signed(numbers.high[i], numbers.low_of(i)));
  }
  text.append(end);
}

void AppendMatrix(const Problem& problem, const Blocks& blocks, std::string& text) {
  text += "{\n";
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const auto size = static_cast<std::size_t>(problem.blocks[l].size);
    if (problem.blocks[l].shape == Shape::kDiagonal) {
      AppendRow(blocks[l], 0, size, "}\n", text);
      continue;
    }
    for (std::size_t row = 0; row < size; ++row) {
      text += row == 0 ? "{ " : "  ";
      AppendRow(blocks[l], row * size, size, row + 1 < size ? " },\n" : " }   }\n", text);
    }
  }
  text += "}\n";
}

void AppendTriangles(const Problem& problem, int matrix, const Blocks& blocks, std::string& text) {
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const auto size = static_cast<std::size_t>(problem.blocks[l].size);
    const bool is_dense = problem.blocks[l].shape == Shape::kDense;
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = row; column < (is_dense ? size : row + 1); ++column) {
        const std::size_t at = is_dense ? row * size + column : row;
        const double value = blocks[l].high[at];
        if (value == 0) continue;
        absl::StrAppend(&text, matrix, " ", l + 1, " ", row + 1, " ", column + 1, " ",
                        Digits(value, blocks[l].low_of(at)), "\n");
      }
    }
  }
}

absl::Status ReadX(Tokens& tokens, std::vector<double>& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = tokens.Number(absl::StrCat("x_", i + 1), Words::kRefused);
    if (!value.ok()) return value.status();
    x[i] = *value;
  }
  return absl::OkStatus();
}

absl::Status ReadSparseMatrices(Tokens& tokens, const Problem& problem, SolutionValues& solution) {
  const auto all = ReadElements(tokens, problem.blocks, 1, 2);
  if (!all.ok()) return all.status();
  for (const auto& [matrix, block, element, line] : *all) {
    const auto l = static_cast<std::size_t>(block), i = static_cast<std::size_t>(element.row),
               j = static_cast<std::size_t>(element.column),
               size = static_cast<std::size_t>(problem.blocks[l].size);
    std::vector<double>& to = (matrix == 1 ? solution.slack : solution.dual)[l];
    if (problem.blocks[l].shape == Shape::kDiagonal) {
      to[i] = element.value;
    } else {
      to[i * size + j] = to[j * size + i] = element.value;
    }
  }
  return absl::OkStatus();
}

absl::Status ReadDenseMatrix(Tokens& tokens, const Problem& problem, std::string_view name,
                             std::vector<std::vector<double>>& blocks) {
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    const std::string what = absl::StrCat("an element of block ", l + 1, " of ", std::string(name));
    const auto size = static_cast<std::size_t>(problem.blocks[l].size);
    for (std::size_t i = 0; i < blocks[l].size(); ++i) {
      const auto value = tokens.Number(what, Words::kRefused);
      if (!value.ok()) return value.status();
      blocks[l][i] = *value;
      if (problem.blocks[l].shape == Shape::kDiagonal) continue;
      const std::size_t row = i / size, column = i % size;
      const double mirrored = blocks[l][column * size + row];
      if (column < row && mirrored != *value) {
        return tokens.Error(absl::StrCat("row ", row + 1, ", column ", column + 1, " of block ",
                                         l + 1, " of ", std::string(name), " is ", Shortest(*value),
                                         ", its mirror image is ", Shortest(mirrored)));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ReadHeading(Tokens& tokens, std::string_view word) {
  const absl::Status status = tokens.Word(word);
  return status.ok() ? tokens.Word("=") : status;
}

bool IsResult(std::string_view bytes) {
  return bytes.starts_with("xVec") || bytes.find("\nxVec") != std::string_view::npos;
}

}  // namespace

std::string SdpaHeadText(const SdpaResult& result) {
  // SDPA's own definitions.
  const double gap = result.primal - result.dual;
  const double relative =
      std::abs(gap) / std::max(1.0, (std::abs(result.primal) + std::abs(result.dual)) / 2);
  std::string phase(kSdpaPhases.Print(result.phase));
  phase.resize(std::max<std::size_t>(phase.size(), 10), ' ');
  std::string text = absl::StrCat("phase.value  = ", phase, "\n   Iteration = ", result.iterations);
  const auto line = [&](const char* name, double value) {
    absl::StrAppend(&text, "\n", name, " = ", Signed(value));
  };
  line("          mu", result.mu);
  line("relative gap", relative);
  line("        gap ", gap);
  line("     digits ", relative > 0 ? -std::log10(relative) : 16);
  line("objValPrimal", result.primal);
  line("objValDual  ", result.dual);
  line("p.feas.error", result.primal_error);
  line("d.feas.error", result.dual_error);
  absl::StrAppend(&text, "\ntotal time   = ", Shortest(result.seconds), "\n");
  return text;
}

std::string SdpaResultText(const SdpaResult& result, const Problem& problem,
                           const SolutionValues& solution) {
  std::string text = SdpaHeadText(result) + "\nxVec = \n";
  AppendRow({solution.x, &solution.low.x}, 0, solution.x.size(), "}\n", text);
  text += "xMat = \n";
  AppendMatrix(problem, {solution.slack, solution.low.slack}, text);
  text += "yMat = \n";
  AppendMatrix(problem, {solution.dual, solution.low.dual}, text);
  return text;
}

std::string CsdpSolutionText(const Problem& problem, const SolutionValues& solution) {
  std::string text;
  const Numbers x = {solution.x, &solution.low.x};
  for (std::size_t i = 0; i < solution.x.size(); ++i) {
    absl::StrAppend(&text, Digits(x.high[i], x.low_of(i)), " ");
  }
  text += "\n";
  AppendTriangles(problem, 1, {solution.slack, solution.low.slack}, text);
  AppendTriangles(problem, 2, {solution.dual, solution.low.dual}, text);
  return text;
}

Format FormatOfSolution(std::string_view file, std::string_view bytes) {
  return file.ends_with(".ini") || IsResult(bytes) ? Format::kDense : Format::kSparse;
}

absl::StatusOr<SolutionValues> ParseSolution(Format format, const Problem& problem,
                                             const std::string& file, std::string_view bytes) {
  SolutionValues solution = ZerosFor(problem);
  Tokens tokens(file, bytes);
  absl::Status status;
  if (format == Format::kSparse) {
    tokens.SkipTitles();
    status = ReadX(tokens, solution.x);
    if (status.ok()) status = ReadSparseMatrices(tokens, problem, solution);
  } else {
    const bool is_result = IsResult(bytes);
    if (is_result) {
      tokens.SkipToLine("xVec");
    } else {
      tokens.SkipTitles();
    }
    const auto heading = [&](std::string_view word) {
      if (status.ok() && is_result) status = ReadHeading(tokens, word);
      return status.ok();
    };
    if (heading("xVec")) status = ReadX(tokens, solution.x);
    if (heading("xMat")) status = ReadDenseMatrix(tokens, problem, "X", solution.slack);
    if (heading("yMat")) status = ReadDenseMatrix(tokens, problem, "Y", solution.dual);
    // A result goes on with what the run took.
    if (status.ok() && !is_result && !tokens.AtEnd()) {
      status = tokens.ErrorAt(tokens.next_line(), "there is more after the last matrix");
    }
  }
  if (!status.ok()) return status;
  return solution;
}

}  // namespace sdpa
