// How much memory a blocked thread holds, the same way for every contestant.
#pragma once

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>

namespace problems {

inline constexpr int kBlocked = 100'000;

inline double ResidentBytes() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The bytes that `kBlocked` threads more have made resident, each.
inline void ReportBytesEach(benchmark::State& state, double before, double with_all) {
  state.counters["bytes"] = (with_all - before) / kBlocked;
}

}  // namespace problems
