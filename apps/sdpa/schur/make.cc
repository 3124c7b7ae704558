#include "apps/sdpa/schur/make.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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

// What an element of the lower triangle takes while a pattern is analyzed: its row twice, as AMD
// has numbers of 64 bits, and AMD's own 2.4 of these.
constexpr double kBytesOfAnalysis = 32;
// And from then on: its row here and in its front, where it came from, and its value.
constexpr double kBytesOfElement = 24;

absl::Status CheckBytes(double bytes, double most, const char* what, std::size_t m) {
  if (bytes <= most) return absl::OkStatus();
  constexpr double kGigabyte = 1e9;
  return absl::ResourceExhaustedError(
      absl::StrCat("the Schur complement's matrix, ", what, ", of ", m, " constraints takes ",
                   absl::SixDigits(bytes / kGigabyte), " GB; there is ",
                   absl::SixDigits(most / kGigabyte), " GB"));
}

template <typename Real>
double BytesOfDense(std::size_t m) {
  const Tiling tiling = Tiling::Of(m);
  return sizeof(Real) * static_cast<double>(tiling.tiles()) *
         static_cast<double>(tiling.elements_of_tile());
}

// What workers compute columns in.
template <typename Real>
double BytesOfScratch(const Columns& columns, int workers) {
  return sizeof(Real) * static_cast<double>(columns.scratch_elements() + columns.size()) * workers;
}

// A value: what there is, and what of it columns are computed in.
struct Bytes {
  double most = 0, of_scratch = 0;
};

// A value: where the matrix has elements, and what its factorization will be.
struct Analyzed {
  SparsePattern pattern;
  SparseCholesky cholesky;
};

// None: dense is less work, counted in operations, of which sparse ones take some times as long.
// ResourceExhausted: there is not even memory to find out, nor for the dense matrix.
absl::StatusOr<std::optional<Analyzed>> Analyze(const Columns& columns, SchurKind kind,
                                                Bytes bytes) {
  if (kind == SchurKind::kDense) return std::nullopt;
  const std::size_t m = columns.size();
  const double useful = kind == SchurKind::kSparse ? std::numeric_limits<double>::infinity()
                                                   : static_cast<double>(MostOfSparse(m));
  const double fitting =
      std::max(0.0, std::floor((bytes.most - bytes.of_scratch) / kBytesOfAnalysis));
  // Less than what a std::size_t can count.
  const double most = std::min({useful, fitting, 0x1p62});
  std::optional<SparsePattern> pattern = SparsePatternOf(columns, static_cast<std::size_t>(most));
  if (!pattern) {
    const bool is_dense_possible =
        kind == SchurKind::kChosen && BytesOfDense<double>(m) + bytes.of_scratch <= bytes.most;
    if (useful <= fitting || is_dense_possible) return std::nullopt;
    return CheckBytes(kBytesOfAnalysis * (fitting + 1) + bytes.of_scratch, bytes.most, "sparse", m);
  }
  SparseCholesky cholesky = SparseCholesky::Analyze(*pattern);
  constexpr double kTimes = 4;
  const double dense = std::pow(static_cast<double>(m), 3) / 3;
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
  const int workers = runtime.pool().workers();
  const double scratch = BytesOfScratch<Real>(columns, workers);
  if constexpr (std::is_same_v<Real, double>) {
    auto analyzed = Analyze(columns, kind, {most_bytes, scratch});
    if (!analyzed.ok()) return analyzed.status();
    if (analyzed->has_value()) {
      auto& [pattern, cholesky] = **analyzed;
      const double bytes =
          kBytesOfElement * static_cast<double>(pattern.elements()) +
          8 * static_cast<double>(cholesky.work().factor_elements + cholesky.UpdatesOf(workers));
      const absl::Status status = CheckBytes(bytes + scratch, most_bytes, "sparse", m);
      if (!status.ok()) return status;
      return std::make_unique<SparseSchur>(runtime.pool(), columns, std::move(pattern),
                                           std::move(cholesky));
    }
  }
  const absl::Status status = CheckBytes(BytesOfDense<Real>(m) + scratch, most_bytes, "dense", m);
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
