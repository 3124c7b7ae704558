// The program of README.md.
#include <cstdio>
#include <vector>

#include "taskrt/taskrt.h"

// y = a x + y in blocks, and then their sum, as if it were sequential.
int main() {
  using taskrt::in, taskrt::inout, taskrt::View;
  const taskrt::TypedKernel axpy("axpy", [](View<const double> x, View<double> y, double a) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
  });
  const taskrt::TypedKernel add("add", [](View<const double> y, View<double> sum) {
    for (std::size_t i = 0; i < y.size(); ++i) sum[0] += y[i];
  });
  auto runtime = taskrt::Runtime::Create({});
  if (!runtime.ok()) return std::puts(runtime.status().ToString().c_str()), 1;
  std::vector<double> sum(1);
  std::vector<std::vector<double>> xs(8, std::vector<double>(1000, 1)), ys = xs;
  // Each block's end waits for its tasks, so that memory and kernels above outlive them.
  taskrt::Block<double> total(**runtime, "sum", sum);
  std::vector<taskrt::Block<double>> x, y;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    x.emplace_back(**runtime, "x", xs[i]);
    y.emplace_back(**runtime, "y", ys[i]);
    Submit(**runtime, axpy, in(x[i]), inout(y[i]), 2.0);
    Submit(**runtime, add, in(y[i]), inout(total));
  }
  const auto done = total.Read();
  if (!done.ok()) return std::puts(done.status().ToString().c_str()), 1;
  std::printf("%.0f\n", (*done)[0]);
}
