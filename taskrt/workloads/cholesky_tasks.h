// The tasks of a block Cholesky factorization, in the order of the paper's program 2. Blocks are
// those of the upper triangle of the block matrix, as there: A[k][i] with k <= i.
//
// Source: [WLBS20] sections 2.4, 4.1.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "taskrt/access.h"
#include "taskrt/plan/plan.h"

namespace cholesky {

enum class Kernel { kPotrf, kTrsm, kSyrk, kGemm };
inline constexpr std::string_view kNames[] = {"potrf", "trsm", "syrk", "gemm"};
constexpr std::string_view NameOf(Kernel kernel) { return kNames[static_cast<int>(kernel)]; }

// A value: in a matrix of `count` by `count` blocks, counted row by row.
constexpr taskrt::BlockId BlockAt(int row, int column, int count) {
  return static_cast<taskrt::BlockId>(row * count - row * (row - 1) / 2 + column - row);
}
constexpr std::size_t BlocksOf(int count) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(count + 1) / 2;
}

// A value: what it changes, last, and what it reads.
struct Task {
  Kernel kernel = Kernel::kPotrf;
  int k = 0, i = 0, j = 0;  // as in program 2
};

// Calls `each(task)` for all, in order.
template <typename Each>
void ForEachTask(int count, Each each) {
  for (int k = 0; k < count; ++k) {
    each(Task{Kernel::kPotrf, k, k, k});
    for (int i = k + 1; i < count; ++i) each(Task{Kernel::kTrsm, k, i, i});
    for (int i = k + 1; i < count; ++i) {
      for (int j = k + 1; j < i; ++j) each(Task{Kernel::kGemm, k, i, j});
      each(Task{Kernel::kSyrk, k, i, i});
    }
  }
}

// Among tasks that are ready, the one with the longest way to the end: after potrf(k) come
// trsm(k, k + 1), syrk(k, k + 1) and potrf(k + 1), three tasks a column; and what is further from
// the diagonal is needed later. 0 would be no priority.
constexpr int PriorityOf(const Task& task) {
  const auto [kernel, k, i, j] = task;
  switch (kernel) {
    case Kernel::kPotrf:
      return -3 * k - 1;
    case Kernel::kTrsm:
      return -3 * k - (i - k);
    case Kernel::kSyrk:
      return -3 * k - 2 * (i - k);
    case Kernel::kGemm:
      return -3 * k - (i - k) - 2 * (j - k);
  }
  return 0;
}

inline std::vector<taskrt::PlannedAccess> AccessesOf(const Task& task, int count) {
  using enum taskrt::Mode;
  const auto [kernel, k, i, j] = task;
  switch (kernel) {
    case Kernel::kPotrf:
      return {{BlockAt(k, k, count), kInOut}};
    case Kernel::kTrsm:
      return {{BlockAt(k, k, count), kIn}, {BlockAt(k, i, count), kInOut}};
    case Kernel::kSyrk:
      return {{BlockAt(k, i, count), kIn}, {BlockAt(i, i, count), kInOut}};
    case Kernel::kGemm:
      return {
          {BlockAt(k, i, count), kIn}, {BlockAt(k, j, count), kIn}, {BlockAt(j, i, count), kInOut}};
  }
  return {};
}

}  // namespace cholesky
