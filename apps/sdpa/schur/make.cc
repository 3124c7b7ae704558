#include "apps/sdpa/schur/make.h"

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/linear/sparse_cholesky.h"
#include "apps/sdpa/linear/sparse_pattern.h"
#include "apps/sdpa/schur/dense.h"
#include "apps/sdpa/schur/sparse.h"

namespace sdpa {

template <typename Real>
std::unique_ptr<SchurComplement<Real>> MakeSchur(taskrt::Runtime& runtime, const Columns& columns,
                                                 SchurKind kind) {
  if constexpr (std::is_same_v<Real, double>) {
    if (kind != SchurKind::kDense) {
      std::optional<SparsePattern> pattern = SparsePatternOf(columns, kind == SchurKind::kSparse);
      if (pattern) {
        SparseCholesky cholesky = SparseCholesky::Analyze(*pattern);
        // An operation of a sparse factorization takes about as long as so many of a dense one.
        constexpr double kTimes = 4;
        const double dense = std::pow(static_cast<double>(columns.size()), 3) / 3;
        if (kind == SchurKind::kSparse || cholesky.work().flops * kTimes < dense) {
          return std::make_unique<SparseSchur>(runtime.pool(), columns, *std::move(pattern),
                                               std::move(cholesky));
        }
      }
    }
  }
  return std::make_unique<DenseSchur<Real>>(runtime, columns);
}

template std::unique_ptr<SchurComplement<double>> MakeSchur(taskrt::Runtime& runtime,
                                                            const Columns& columns,
                                                            SchurKind kind);
template std::unique_ptr<SchurComplement<DoubleDouble>> MakeSchur(taskrt::Runtime& runtime,
                                                                  const Columns& columns,
                                                                  SchurKind kind);

}  // namespace sdpa
