// The cache-oblivious matrix product of the paper's source 1: the longest of the
// three extents is halved until a leaf is left. Halves of rows and of columns
// are independent; halves of the inner extent come one after the other.
//
// It stands here because the benches measure it and libraries do not know the
// programs; apps/matmul runs the same code.
//
// How two halves run at once is a parameter. Source: [NNT13] section 2.2. (The
// source has k where it means p in line 16, and its line 26 lacks ld and add.)
#pragma once

#include <cstddef>

#include "lwt/workloads/leaf.h"

namespace sgemm {

// A value. C (m x n) and A (m x p) B (p x n), all with rows `ld` floats apart.
struct Block {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  int m = 0, n = 0, p = 0;
  int ld = 0;
};

enum class Axis { kNone, kRows, kColumns, kInner };

// Which extent is halved; kNone at a leaf. Extents are multiples of kLeaf.
constexpr Axis AxisToHalve(int m, int n, int p) {
  if (m == kLeaf && n == kLeaf && p == kLeaf) return Axis::kNone;
  if (m >= n && m >= p) return Axis::kRows;
  return n >= p ? Axis::kColumns : Axis::kInner;
}

// The first half in whole leaves; the second is not smaller.
constexpr int FirstHalf(int extent) { return extent / kLeaf / 2 * kLeaf; }

struct Halves {
  Block first, second;
};
inline Halves Halve(const Block& block, Axis axis) {
  Block first = block, second = block;
  if (axis == Axis::kRows) {
    first.m = FirstHalf(block.m);
    second.m -= first.m;
    second.a += static_cast<std::ptrdiff_t>(first.m) * block.ld;
    second.c += static_cast<std::ptrdiff_t>(first.m) * block.ld;
  } else if (axis == Axis::kColumns) {
    first.n = FirstHalf(block.n);
    second.n -= first.n;
    second.b += first.n;
    second.c += first.n;
  } else {
    first.p = FirstHalf(block.p);
    second.p -= first.p;
    second.a += first.p;
    second.b += static_cast<std::ptrdiff_t>(first.p) * block.ld;
  }
  return {first, second};
}

// `tasks.Both(depth, f, g)` runs f() and g() at once and waits for both; they are
// tasks of that depth, `block` being one of `depth`. `tasks.Leaf(block, into)`
// computes a leaf.
template <typename Tasks>
void Multiply(Tasks& tasks, const Block& block, Into into, int depth = 0) {
  const Axis axis = AxisToHalve(block.m, block.n, block.p);
  if (axis == Axis::kNone) {
    tasks.Leaf(block, into);
    return;
  }
  const Halves halves = Halve(block, axis);
  if (axis == Axis::kInner) {
    Multiply(tasks, halves.first, into, depth);
    Multiply(tasks, halves.second, Into::kSum, depth);
    return;
  }
  tasks.Both(
      depth + 1, [&] { Multiply(tasks, halves.first, into, depth + 1); },
      [&] { Multiply(tasks, halves.second, into, depth + 1); });
}

}  // namespace sgemm
