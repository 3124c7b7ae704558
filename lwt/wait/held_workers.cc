#include "lwt/wait/held_workers.h"

#include <algorithm>

namespace lwt {
namespace {

constexpr std::int64_t kShortestPeriodNanoseconds = 1'000'000;
constexpr std::int64_t kLongestPeriodNanoseconds = 1'000'000'000;

}  // namespace

std::int64_t HeldWorkers::period_ns() const {
  return std::clamp(report_after_ns_ / 2, kShortestPeriodNanoseconds, kLongestPeriodNanoseconds);
}

std::vector<int> HeldWorkers::Add(std::int64_t now_ns, std::span<const WorkerSample> workers) {
  std::vector<int> held;
  // Samples that are late, as after the whole process was stopped, say nothing of the time between.
  bool is_same = last_.size() == workers.size() && now_ns - last_ns_ <= 4 * period_ns();
  for (std::size_t i = 0; is_same && i < workers.size(); ++i) {
    const bool is_held = !workers[i].is_asleep && workers[i].cpu_ns == last_[i].cpu_ns;
    if (is_held) held.push_back(static_cast<int>(i));
    is_same = is_held ? !last_[i].is_asleep : workers[i].is_asleep && last_[i].is_asleep;
  }
  last_.assign(workers.begin(), workers.end());
  last_ns_ = now_ns;
  if (!is_same || held.empty()) {
    since_ns_ = now_ns;
    is_reported_ = false;
    return {};
  }
  if (is_reported_ || now_ns - since_ns_ < report_after_ns_) return {};
  is_reported_ = true;
  return held;
}

}  // namespace lwt
