// The paper's listing 7: as many reads as several threads get through. With two ranks:
// llclrun -n 2 message_rate.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "llcl/llcl.h"

namespace {

std::atomic<std::uint64_t> count;
void OnEnd(void* /*data*/, llcl::Outcome /*outcome*/) {
  count.fetch_add(1, std::memory_order_release);
}

}  // namespace

int main() {
  auto job = llcl::Join();
  if (!job.ok()) return std::puts(job.status().ToString().c_str()), 1;
  llcl::Endpoint& endpoint = *job->endpoint;
  constexpr int kThreads = 4;
  // Words that a thread reads into: more than can be under way, as each is one read's.
  constexpr std::uint64_t kWords = 8192;
  std::vector<std::byte> memory(kThreads * kWords * 8);
  const auto target = endpoint.Allocate(8);
  const auto local = endpoint.Register(memory);
  if (!target.ok() || !local.ok()) return std::puts("no memory"), 1;
  const auto all = llcl::Exchange(endpoint, *target);
  if (!all.ok()) return std::puts(all.status().ToString().c_str()), 1;

  // The first read is slow: by shared memory the region is mapped then.
  const llcl::Outcome first =
      llcl::Read(endpoint, {.from = {all->back()}, .to = {local->local()}, .bytes = 8});
  if (first != llcl::Outcome::kDone) return std::puts(ToString(first).data()), 1;

  constexpr auto kTime = std::chrono::milliseconds(200);
  const auto end = std::chrono::steady_clock::now() + kTime;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads && endpoint.rank() == llcl::Rank{0}; ++i) {
    threads.emplace_back([&, i] {
      for (std::uint64_t n = 0; std::chrono::steady_clock::now() < end; ++n) {
        const std::uint64_t word = i * kWords + n % kWords;
        while (endpoint.TryRead({.from = {all->back()},
                                 .to = llcl::LocalAddress{local->local()} + word * 8,
                                 .bytes = 8,
                                 .then = {&OnEnd, nullptr}}) != llcl::Posted::kPosted) {
          sched_yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double rate = static_cast<double>(count) / std::chrono::duration<double>(kTime).count();
  (void)llcl::PostAndWait(endpoint,
                          [&](llcl::Completion then) { return endpoint.world().TryBarrier(then); });
  if (endpoint.rank() == llcl::Rank{0}) std::printf("%.2f million reads a second\n", rate / 1e6);
  return 0;
}
