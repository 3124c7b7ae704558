#include "apps/sdpa/schur/make.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/schur/dense.h"
#include "apps/sdpa/schur/sparse.h"
#include "apps/sdpa/sparse/sparse_cholesky.h"
#include "apps/sdpa/sparse/sparse_pattern.h"
#include "apps/sdpa/sparse/supernodes.h"

namespace sdpa {

namespace {

absl::Status CheckBytes(double bytes, double most, const char* what, std::size_t m) {
  if (bytes <= most) return absl::OkStatus();
  constexpr double kGigabyte = 1e9;
  return absl::ResourceExhaustedError(
      absl::StrCat("the Schur complement's matrix, ", what, ", of ", m, " constraints takes ",
                   absl::SixDigits(bytes / kGigabyte), " GB; there is ",
                   absl::SixDigits(most / kGigabyte), " GB"));
}

// A value: where the matrix has elements, and what its factorization will be.
struct Analyzed {
  SparsePattern pattern;
  SparseCholesky cholesky;
};

// None: dense is less work, counted in operations, of which sparse ones take some times as long.
std::optional<Analyzed> Analyze(const Columns& columns, SchurKind kind) {
  if (kind == SchurKind::kDense) return std::nullopt;
  std::optional<SparsePattern> pattern = SparsePatternOf(columns, kind == SchurKind::kSparse);
  if (!pattern) return std::nullopt;
  SparseCholesky cholesky = SparseCholesky::Analyze(*pattern);
  constexpr double kTimes = 4;
  const double dense = std::pow(static_cast<double>(columns.size()), 3) / 3;
  if (kind == SchurKind::kChosen && cholesky.work().flops * kTimes > dense) return std::nullopt;
  return Analyzed{*std::move(pattern), std::move(cholesky)};
}

}  // namespace

template <typename Real>
absl::StatusOr<std::unique_ptr<SchurComplement<Real>>> MakeSchur(taskrt::Runtime& runtime,
                                                                 const Columns& columns,
                                                                 SchurKind kind, double most_bytes,
                                                                 int cuda_devices) {
  const std::size_t m = columns.size();
  if constexpr (std::is_same_v<Real, double>) {
    if (std::optional<Analyzed> analyzed = Analyze(columns, kind)) {
      const Work& work = analyzed->cholesky.work();
      const double elements =
          static_cast<double>(work.factor_elements + work.update_elements) +
          3 * static_cast<double>(analyzed->pattern.elements());  // values, rows, sources
      const absl::Status status = CheckBytes(8 * elements, most_bytes, "sparse", m);
      if (!status.ok()) return status;
      return std::make_unique<SparseSchur>(runtime.pool(), columns, std::move(analyzed->pattern),
                                           std::move(analyzed->cholesky));
    }
  }
  const Tiling tiling = Tiling::Of(m);
  const double elements =
      static_cast<double>(tiling.tiles()) * static_cast<double>(tiling.elements_of_tile());
  const absl::Status status = CheckBytes(sizeof(Real) * elements, most_bytes, "dense", m);
  if (!status.ok()) return status;
  return std::make_unique<DenseSchur<Real>>(runtime, columns, cuda_devices);
}

template absl::StatusOr<std::unique_ptr<SchurComplement<double>>> MakeSchur(
    taskrt::Runtime& runtime, const Columns& columns, SchurKind kind, double most_bytes,
    int cuda_devices);
template absl::StatusOr<std::unique_ptr<SchurComplement<DoubleDouble>>> MakeSchur(
    taskrt::Runtime& runtime, const Columns& columns, SchurKind kind, double most_bytes,
    int cuda_devices);

}  // namespace sdpa
