// The program of README.md.
#include <cstdio>

#include "llcl/llcl.h"

// Every rank adds its number to a word of rank 0's.
int main() {
  auto job = llcl::Join();
  if (!job.ok()) return std::puts(job.status().ToString().c_str()), 1;
  llcl::Endpoint& endpoint = *job->endpoint;
  auto word = endpoint.Allocate(8);
  if (!word.ok()) return std::puts(word.status().ToString().c_str()), 1;
  const auto words = llcl::Exchange(endpoint, *word);  // Those of all ranks, by rank.
  if (!words.ok()) return std::puts(words.status().ToString().c_str()), 1;

  const auto number = static_cast<std::uint64_t>(ToInt(endpoint.rank()));
  const llcl::Outcome added =
      llcl::Atomic<std::uint64_t>(endpoint, {.target = {(*words)[0]}, .operand = number});
  if (added != llcl::Outcome::kDone) return std::puts(ToString(added).data()), 1;
  const llcl::Outcome together = llcl::PostAndWait(
      endpoint, [&](llcl::Completion then) { return endpoint.world().TryBarrier(then); });
  if (together != llcl::Outcome::kDone) return std::puts(ToString(together).data()), 1;
  if (number == 0) std::printf("%ld\n", *reinterpret_cast<const long*>(word->local().start));
  return 0;
}
