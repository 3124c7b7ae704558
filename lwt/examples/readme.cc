// The program in README.md.
#include <cstdio>

#include "lwt/lwt.h"

long Fib(int n) {
  if (n < 2) return n;
  long left = 0;
  lwt::Thread child = lwt::Spawn([&] { left = Fib(n - 1); });
  const long right = Fib(n - 2);
  child.Join();
  return left + right;
}

int main() {
  const auto pool = lwt::Pool::Create();
  if (!pool.ok()) return std::puts(pool.status().ToString().c_str()), 1;
  const long result = (*pool)->Run([] { return Fib(25); });
  std::printf("%ld\n", result);
  return result == 75025 ? 0 : 1;
}
