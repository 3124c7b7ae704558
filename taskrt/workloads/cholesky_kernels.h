// What the four tasks of a block Cholesky factorization compute, by OpenBLAS on one thread: of a
// symmetric matrix the upper triangle, row by row, so that A = UᵀU there.
#pragma once

#include "taskrt/kernel.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {

enum class Precision { kF32, kF64 };

// A value: what comes with each task besides its blocks.
struct TaskScalars {
  int first_column = 0;  // of the matrix, in block column k
  int side = 0;          // elements of a block in a row
};

// For square tiles of that precision, as AccessesOf orders them. potrf's error, FailedPrecondition:
// the matrix is not positive definite; it names the column, counted from that of the block's first,
// if TaskScalars come with the task.
taskrt::Kernel::Body BodyOf(Kernel kernel, Precision precision);

// Operations of one task, of blocks of b by b.
constexpr double FlopsOf(Kernel kernel, double b) {
  switch (kernel) {
    case Kernel::kPotrf:
      return b * b * b / 3;
    case Kernel::kTrsm:
    case Kernel::kSyrk:
      return b * b * b;
    case Kernel::kGemm:
      return 2 * b * b * b;
  }
  return 0;
}

}  // namespace cholesky
