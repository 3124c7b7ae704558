#include "apps/sdpa/schur/sparse.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/sparse/supernodes.h"
#include "lwt/parallel.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t NanosecondsSince(Clock::time_point begun) {
  return std::chrono::nanoseconds(Clock::now() - begun).count();
}

// Begins and, last, the end of chunks of columns: small ones for work to be shared, but none of
// less than some ten thousand products.
std::vector<std::size_t> ChunksOf(const Columns& columns) {
  double all = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) all += columns.WorkOf(j);
  constexpr double kChunks = 64, kLeast = 3e4;
  const double wanted = std::max(kLeast, all / kChunks);
  std::vector<std::size_t> chunks = {0};
  double work = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    work += columns.WorkOf(j);
    if (work < wanted && j + 1 < columns.size()) continue;
    chunks.push_back(j + 1);
    work = 0;
  }
  return chunks;
}

}  // namespace

// Of the lower triangle a third and more: as good as all.
std::size_t MostOfSparse(std::size_t m) { return m * (m + 1) / 2 / 3; }

std::optional<SparsePattern> SparsePatternOf(const Columns& columns, std::size_t most) {
  const std::size_t m = columns.size(), sharing = columns.most_sharing();
  if (sharing * (sharing + 1) / 2 > most) return std::nullopt;
  SparsePattern pattern;
  std::vector<int> newest(m, -1);  // by row: the last column where it was found
  for (std::size_t j = 0; j < m; ++j) {
    const auto column = static_cast<int>(j);
    const auto begin = static_cast<std::ptrdiff_t>(pattern.rows.size());
    pattern.rows.push_back(column);
    columns.ForEachRow(j, [&](std::size_t i) {
      // A row is found once for each block, and for each element of a diagonal one.
      if (std::exchange(newest[i], column) != column) pattern.rows.push_back(static_cast<int>(i));
    });
    if (pattern.rows.size() > most) return std::nullopt;
    std::sort(pattern.rows.begin() + begin, pattern.rows.end());
    pattern.column_begin.push_back(pattern.rows.size());
  }
  return pattern;
}

SparseSchur::SparseSchur(lwt::Pool& pool, const Columns& columns, SparsePattern pattern,
                         SparseCholesky cholesky)
    : columns_(columns),
      pattern_(std::move(pattern)),
      cholesky_(std::move(cholesky)),
      chunks_(ChunksOf(columns)),
      values_(pattern_.elements()),
      scratch_(pool) {}

absl::Status SparseSchur::Compute(std::span<const double> y, std::span<const double> inverse) {
  ComputeAll(y, inverse, 0);
  return absl::OkStatus();
}

absl::Status SparseSchur::Factor(std::span<const double> y, std::span<const double> inverse,
                                 double relative_shift) {
  ComputeAll(y, inverse, relative_shift);
  const std::optional<int> failed = cholesky_.Factor(values_);
  if (!failed) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the matrix is not positive definite in column ", *failed));
}

void SparseSchur::ComputeAll(std::span<const double> y, std::span<const double> inverse,
                             double relative_shift) {
  lwt::ParallelFor(0, static_cast<std::int64_t>(chunks_.size()) - 1, 1,
                   [&](std::int64_t chunk, std::int64_t) {
                     const auto at = static_cast<std::size_t>(chunk);
                     ComputeColumns(chunks_[at], chunks_[at + 1], y, inverse, relative_shift);
                   });
}

void SparseSchur::ComputeColumns(std::size_t begin, std::size_t end, std::span<const double> y,
                                 std::span<const double> inverse, double relative_shift) {
  const auto begun = Clock::now();
  Scratch& scratch = scratch_.Here();
  scratch.sums.resize(columns_.size(), 0);
  for (std::size_t j = begin; j < end; ++j) {
    columns_.Add(j, 0, columns_.size(), y, inverse, scratch.column, scratch.sums.data());
    scratch.sums[j] = columns_.IsEmpty(j) ? kOfEmpty : scratch.sums[j] * (1 + relative_shift);
    const std::span<const int> rows = pattern_.column(static_cast<int>(j));
    double* const values = values_.data() + pattern_.column_begin[j];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      values[k] = std::exchange(scratch.sums[static_cast<std::size_t>(rows[k])], 0);
    }
  }
  scratch.elements_ns += NanosecondsSince(begun);
}

double SparseSchur::at(std::size_t i, std::size_t j) const {
  const std::span<const int> rows = pattern_.column(static_cast<int>(j));
  const auto row = std::lower_bound(rows.begin(), rows.end(), static_cast<int>(i));
  if (row == rows.end() || *row != static_cast<int>(i)) return 0;
  return values_[pattern_.column_begin[j] + static_cast<std::size_t>(row - rows.begin())];
}

double SparseSchur::least_pivot() const {
  const Supernodes& supernodes = cholesky_.supernodes();
  double least = 1;
  for (int s = 0; s < supernodes.size(); ++s) {
    const std::span<const double> panel = cholesky_.panel(s);
    const auto rows = static_cast<std::size_t>(supernodes.front_rows(s));
    for (int k = 0; k < supernodes.columns(s); ++k) {
      const int column =
          cholesky_.order()[static_cast<std::size_t>(supernodes.first_column(s) + k)];
      const double root = panel[static_cast<std::size_t>(k) * (rows + 1)];
      const double diagonal = values_[pattern_.column_begin[static_cast<std::size_t>(column)]];
      least = std::min(least, root * root / diagonal);
    }
  }
  return least;
}

SchurSeconds SparseSchur::seconds() const {
  SchurSeconds seconds;
  for (const Scratch& scratch : scratch_) {
    seconds.elements += static_cast<double>(scratch.elements_ns) * 1e-9;
  }
  seconds.cholesky = cholesky_.seconds();
  return seconds;
}

}  // namespace sdpa
