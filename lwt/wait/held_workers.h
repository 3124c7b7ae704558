// Which workers are held: each runs a thread that waits in the kernel and is not suspended, as at a
// std::mutex, the guard of a function's static variable or a blocking system call, and the other
// workers sleep, so that no thread of the pool makes progress.
//
// The rule is pure: samples go in, in the order of their times, and held workers come out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lwt {

// A value: what is seen of a worker at one time.
struct WorkerSample {
  std::int64_t cpu_ns = 0;  // processor time that its OS thread has used
  bool is_asleep = false;   // it has no thread to run
};

// A value.
class HeldWorkers {
 public:
  // `report_after_ns`: so long a worker uses no processor time before it is held; more than 0.
  explicit HeldWorkers(std::int64_t report_after_ns) : report_after_ns_(report_after_ns) {}

  // How long to wait between two samples.
  std::int64_t period_ns() const;

  // The samples of all workers at `now_ns`. Returns the held ones, if each other worker is asleep;
  // the same stall is returned once.
  std::vector<int> Add(std::int64_t now_ns, std::span<const WorkerSample> workers);

 private:
  const std::int64_t report_after_ns_;
  std::vector<WorkerSample> last_;
  std::int64_t last_ns_ = 0;
  std::int64_t since_ns_ = 0;  // since then the same workers are held, and the others asleep
  bool is_reported_ = false;
};

}  // namespace lwt
