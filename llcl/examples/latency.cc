// The paper's listing 6: the latency of a read, and what of it the caller pays until it
// may go on. With two ranks: llclrun -n 2 latency.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <vector>

#include "llcl/llcl.h"

namespace {

std::atomic<bool> flag;
void OnEnd(void* /*data*/, llcl::Outcome /*outcome*/) {
  flag.store(true, std::memory_order_release);
}

}  // namespace

int main() {
  auto job = llcl::Join();
  if (!job.ok()) return std::puts(job.status().ToString().c_str()), 1;
  llcl::Endpoint& endpoint = *job->endpoint;
  std::vector<std::byte> memory(8);
  const auto target = endpoint.Allocate(8);
  const auto local = endpoint.Register(memory);
  if (!target.ok() || !local.ok()) return std::puts("no memory"), 1;
  const auto all = llcl::Exchange(endpoint, *target);
  if (!all.ok()) return std::puts(all.status().ToString().c_str()), 1;

  using Clock = std::chrono::steady_clock;
  constexpr int kReads = 10'000;
  Clock::duration issue{}, latency{};
  for (int i = 0; i < kReads && endpoint.rank() == llcl::Rank{0}; ++i) {
    flag = false;
    const auto t0 = Clock::now();
    while (endpoint.TryRead({.from = {all->back()},
                             .to = {local->local()},
                             .bytes = 8,
                             .then = {&OnEnd, nullptr}}) != llcl::Posted::kPosted) {
      sched_yield();
    }
    const auto t1 = Clock::now();
    while (!flag.load(std::memory_order_acquire)) sched_yield();
    issue += t1 - t0;
    latency += Clock::now() - t0;
  }
  (void)llcl::PostAndWait(endpoint,
                          [&](llcl::Completion then) { return endpoint.world().TryBarrier(then); });
  if (endpoint.rank() == llcl::Rank{0}) {
    const auto each = [](Clock::duration all_reads) {
      return std::chrono::duration<double, std::nano>(all_reads).count() / kReads;
    };
    std::printf("latency %.0f ns, issue %.0f ns\n", each(latency), each(issue));
  }
  return 0;
}
