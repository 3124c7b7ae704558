#include "apps/sdpa/schur/dense.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/schur/tile_kernels.h"
#include "lwt/parallel.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTilesOfTask = 8;

// Adds to `ns` how long `body` takes, of real time also where the workers' is virtual.
template <typename Body>
auto Timed(std::atomic<std::int64_t>& ns, const Body& body) {
  struct Timer {
    std::atomic<std::int64_t>& ns;
    Clock::time_point begun = Clock::now();
    ~Timer() {
      const std::chrono::nanoseconds took = Clock::now() - begun;
      ns.fetch_add(took.count(), std::memory_order_relaxed);
    }
  } timer{ns};
  return body();
}

}  // namespace

Tiling Tiling::Of(std::size_t m) {
  // Small enough that each of some workers has tiles, large enough for the BLAS; what is filled up
  // is less than 8 rows a tile.
  constexpr int kLeast = 64, kMost = 512, kAcross = 12;
  const int rows = static_cast<int>(m);
  const int wanted = std::clamp((rows + kAcross - 1) / kAcross, kLeast, kMost);
  Tiling tiling;
  tiling.count = std::max(1, (rows + wanted - 1) / wanted);
  const int side = (rows + tiling.count - 1) / tiling.count;
  tiling.side = (side + 7) / 8 * 8;
  return tiling;
}

template <typename Real>
DenseSchur<Real>::DenseSchur(taskrt::Runtime& runtime, const Columns& columns, int cuda_devices)
    : runtime_(runtime),
      columns_(columns),
      tiling_(Tiling::Of(columns.size())),
      diagonal_(columns.size()),
      memory_(std::make_unique_for_overwrite<Real[]>(tiling_.tiles() * tiling_.elements_of_tile())),
      scratch_(runtime.pool()),
      elements_(taskrt::Kernel("elements").OnHost([this](auto, std::span<const std::byte> scalars) {
        Group group;
        std::memcpy(&group, scalars.data(), sizeof(group));
        // Rows side by side: there are fewer tasks than a large machine has workers.
        constexpr int kRows = 16;
        lwt::ParallelFor(0, tiling_.side, kRows, [&](std::int64_t begin, std::int64_t end) {
          Timed(elements_ns_, [&] { ComputeRows(group, begin, end); });
        });
        return absl::OkStatus();
      })),
      computed_(taskrt::Kernel("elements that are there").OnHost([](auto, auto) {
        return absl::OkStatus();
      })) {
  const std::size_t bytes = static_cast<std::size_t>(tiling_.side) * sizeof(Real);
  for (int row = 0; row < tiling_.count; ++row) {
    for (int column = row; column < tiling_.count; ++column) {
      handles_.push_back(runtime.Register(absl::StrCat("B[", row, "][", column, "]"),
                                          {reinterpret_cast<std::byte*>(tile(row, column).data),
                                           static_cast<std::uint64_t>(tiling_.side), bytes, bytes},
                                          column));
    }
  }
  for (taskrt::Kernel& kernel : CholeskyKernels<Real>(tiling_.side, cuda_devices)) {
    if (kernel.host() != nullptr) {
      kernel.OnHost([this, body = kernel.host()](std::span<const taskrt::Tile> tiles,
                                                 std::span<const std::byte> scalars) {
        return Timed(cholesky_ns_, [&] { return body(tiles, scalars); });
      });
    }
    kernels_.push_back(std::move(kernel));
  }
}

template <typename Real>
DenseSchur<Real>::~DenseSchur() {
  for (const taskrt::Handle& handle : handles_) runtime_.Unregister(handle).IgnoreError();
}

template <typename Real>
absl::Status DenseSchur<Real>::Factor(std::span<const Real> y, std::span<const Real> inverse,
                                      double relative_shift) {
  y_ = y;
  inverse_ = inverse;
  relative_shift_ = relative_shift;
  SubmitElements();
  SubmitCholesky();
  const absl::Status done = runtime_.Wait();
  return done.ok() ? CheckDiagonal() : done;
}

template <typename Real>
absl::Status DenseSchur<Real>::Compute(std::span<const Real> y, std::span<const Real> inverse) {
  y_ = y;
  inverse_ = inverse;
  relative_shift_ = 0;
  SubmitElements();
  return runtime_.Wait();
}

template <typename Real>
bool DenseSchur<Real>::IsOneGroup(int row) const {
  // Sums and tiles of many columns are less at home in a cache, which costs some hundredths.
  constexpr double kMuch = 0.1;
  const auto side = static_cast<std::size_t>(tiling_.side);
  const std::size_t begin = static_cast<std::size_t>(row) * side;
  double work = 0, preparation = 0;
  for (std::size_t j = begin; j < std::min(columns_.size(), begin + side); ++j) {
    work += columns_.WorkOf(j);
    preparation += columns_.PreparationOf(j);
  }
  const int more_groups = (tiling_.count - row - 1) / kTilesOfTask;
  return more_groups * preparation > kMuch * work;
}

// A task has few accesses. Where a row of tiles is one group all the same, its first task computes
// the other tiles too, which nobody else has between two factorizations, and tasks that do nothing
// say that these are there.
template <typename Real>
void DenseSchur<Real>::SubmitElements() {
  for (int row = 0; row < tiling_.count; ++row) {
    const auto access = [&](int column, taskrt::Mode mode) {
      return taskrt::Access{handles_[cholesky::BlockAt(row, column, tiling_.count)], mode};
    };
    const bool is_one_group = IsOneGroup(row);
    for (int begin = row, end = 0; begin < tiling_.count; begin = end) {
      std::vector<taskrt::Access> accesses;
      const bool is_computed = is_one_group && begin > row;
      if (is_computed) accesses.push_back(access(row, taskrt::Mode::kIn));
      end = std::min(tiling_.count, begin + kTilesOfTask - (is_computed ? 1 : 0));
      for (int column = begin; column < end; ++column) {
        accesses.push_back(access(column, taskrt::Mode::kOut));
      }
      const Group group = {row, begin, is_one_group ? tiling_.count : end};
      runtime_.Submit(is_computed ? computed_ : elements_, accesses,
                      std::as_bytes(std::span(&group, 1)), {.priority = tiling_.count - row});
    }
  }
}

template <typename Real>
void DenseSchur<Real>::SubmitCholesky() {
  cholesky::ForEachTask(tiling_.count, [&](const cholesky::Task& task) {
    std::vector<taskrt::Access> accesses;
    for (const taskrt::PlannedAccess& access : cholesky::AccessesOf(task, tiling_.count)) {
      accesses.push_back({handles_[access.block], access.mode});
    }
    const cholesky::TaskScalars scalars = {.first_column = task.k * tiling_.side,
                                           .side = tiling_.side};
    runtime_.Submit(kernels_[static_cast<std::size_t>(task.kernel)], accesses,
                    std::as_bytes(std::span(&scalars, 1)),
                    {.priority = cholesky::PriorityOf(task)});
  });
}

template <typename Real>
void DenseSchur<Real>::ComputeRows(const Group& group, std::int64_t first, std::int64_t last) {
  Scratch& scratch = scratch_.Here();  // Nothing below waits.
  const auto side = static_cast<std::size_t>(tiling_.side), m = columns_.size();
  const auto first_row = static_cast<std::size_t>(group.row) * side;
  const std::size_t begin = static_cast<std::size_t>(group.begin) * side;
  const std::size_t end = static_cast<std::size_t>(group.end) * side;
  for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row) {
    const std::size_t j = first_row + row;
    scratch.sums.assign(end - begin, Real(0));
    if (j < m) {
      columns_.Add(j, begin, std::min(end, m), y_, inverse_, scratch.column, scratch.sums.data());
      if (group.begin == group.row) {
        Real& diagonal = scratch.sums[j - begin];
        diagonal = columns_.IsEmpty(j) ? Real(kOfEmpty) : diagonal * (Real(1) + relative_shift_);
        diagonal_[j] = static_cast<double>(diagonal);
      }
    } else if (group.begin == group.row) {
      scratch.sums[j - begin] = Real(1);
    }
    for (int column = group.begin; column < group.end; ++column) {
      const auto from =
          scratch.sums.begin() + static_cast<std::ptrdiff_t>(column - group.begin) * tiling_.side;
      std::copy_n(from, tiling_.side, tile(group.row, column).row(static_cast<int>(row)));
    }
  }
}

// Devices have no word for a failure: a diagonal element is no number then.
template <typename Real>
absl::Status DenseSchur<Real>::CheckDiagonal() {
  least_pivot_ = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto root = static_cast<double>(at(i, i));
    if (!(root > 0) || !std::isfinite(root)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the matrix is not positive definite in column ", i));
    }
    least_pivot_ = std::min(least_pivot_, root * root / diagonal_[i]);
  }
  return absl::OkStatus();
}

// U'U x = b: forward with U', then back with U, a row of tiles after the other.
template <typename Real>
void DenseSchur<Real>::Solve(std::span<Real> x) const {
  const auto side = static_cast<std::size_t>(tiling_.side);
  std::vector<Real> padded(static_cast<std::size_t>(tiling_.count) * side, Real(0));
  std::copy(x.begin(), x.end(), padded.begin());
  const auto part = [&](int number) {
    return std::span<Real>(padded).subspan(static_cast<std::size_t>(number) * side, side);
  };
  const auto row_of = [&](const Matrix<Real>& of, std::size_t row) {
    return std::span<const Real>(of.row(static_cast<int>(row)), side);
  };
  for (int k = 0; k < tiling_.count; ++k) {
    const std::span<Real> here = part(k);
    const Matrix<Real> diagonal = tile(k, k);
    for (std::size_t i = 0; i < side; ++i) {
      here[i] /= row_of(diagonal, i)[i];
      AddTo(here.subspan(i + 1), -here[i], row_of(diagonal, i).subspan(i + 1));
    }
    lwt::ParallelFor(k + 1, tiling_.count, 1, [&](std::int64_t column, std::int64_t) {
      const Matrix<Real> of = tile(k, static_cast<int>(column));
      for (std::size_t i = 0; i < side; ++i) {
        AddTo(part(static_cast<int>(column)), -here[i], row_of(of, i));
      }
    });
  }
  for (int k = tiling_.count; k-- > 0;) {
    const std::span<Real> here = part(k);
    // Rows of the tiles side by side: each sum is one thread's, column after column.
    constexpr std::int64_t kRows = 32;
    lwt::ParallelFor(0, tiling_.side, kRows, [&](std::int64_t begin, std::int64_t end) {
      for (int column = k + 1; column < tiling_.count; ++column) {
        const Matrix<Real> of = tile(k, column);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          here[i] -= Dot(row_of(of, i), std::span<const Real>(part(column)));
        }
      }
    });
    const Matrix<Real> diagonal = tile(k, k);
    for (std::size_t i = side; i-- > 0;) {
      here[i] -=
          Dot(row_of(diagonal, i).subspan(i + 1), std::span<const Real>(here.subspan(i + 1)));
      here[i] /= row_of(diagonal, i)[i];
    }
  }
  std::copy_n(padded.begin(), x.size(), x.begin());
}

template <typename Real>
SchurSeconds DenseSchur<Real>::seconds() const {
  return {.elements = static_cast<double>(elements_ns_.load(std::memory_order_relaxed)) * 1e-9,
          .cholesky = static_cast<double>(cholesky_ns_.load(std::memory_order_relaxed)) * 1e-9};
}

template <typename Real>
Real DenseSchur<Real>::at(std::size_t i, std::size_t j) const {
  const auto side = static_cast<std::size_t>(tiling_.side);
  return tile(static_cast<int>(j / side), static_cast<int>(i / side))
      .at(static_cast<int>(j % side), static_cast<int>(i % side));
}

template <typename Real>
Matrix<Real> DenseSchur<Real>::tile(int row, int column) const {
  const auto number = static_cast<std::size_t>(cholesky::BlockAt(row, column, tiling_.count));
  return {memory_.get() + number * tiling_.elements_of_tile(), tiling_.side, tiling_.side,
          tiling_.side};
}

template class DenseSchur<double>;
template class DenseSchur<DoubleDouble>;

}  // namespace sdpa
