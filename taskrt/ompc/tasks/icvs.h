// OpenMP's internal control variables, which the environment sets at first and the program after.
//
// Source: OpenMP 5.1, sections 2.4 and 6.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace taskrt {

// A value: of schedule(runtime). The numbers are omp_sched_t's.
struct Schedule {
  int kind = 1;  // static
  int chunk = 0;
};

// A value. Each region's members have copies of their creator's.
struct Icvs {
  int threads = 1;            // nthreads-var
  int max_active_levels = 1;  // max-active-levels-var
  bool is_dynamic = false;    // dyn-var; without effect
  Schedule schedule;          // run-sched-var
};

// Of a region; as many as a pool may have workers.
inline constexpr int kMostThreads = 4096;

// A value: the environment's, for the whole program.
struct Environment {
  Icvs icvs;
  std::vector<int> threads_by_level;   // OMP_NUM_THREADS
  int thread_limit = kMostThreads;     // OMP_THREAD_LIMIT
  std::size_t stack_bytes = 0;         // OMP_STACKSIZE; 0: the system's
  int processors = 1;                  // that run at once
  std::optional<bool> waits_actively;  // OMP_WAIT_POLICY
};
// The process's, read once. A value that a variable cannot have gets a line on standard error.
const Environment& TheEnvironment();
// Of tasks: OMP_STACKSIZE, else as many as a thread of the system usually has; what is not touched
// costs addresses alone.
std::size_t TaskStackBytes(const Environment& environment);
// On standard error, as omp_display_env and OMP_DISPLAY_ENV.
void DisplayEnvironment(const Environment& environment, const Icvs& icvs);

// None: it is no such value, and the variable has no effect.
std::optional<std::vector<int>> ParseNumThreads(std::string_view text);
std::optional<Schedule> ParseSchedule(std::string_view text);
std::optional<std::size_t> ParseStackSize(std::string_view text);  // bytes
std::optional<bool> ParseWaitPolicy(std::string_view text);        // is it active?
std::optional<bool> ParseBool(std::string_view text);
std::optional<int> ParsePositive(std::string_view text);

}  // namespace taskrt
