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

  llcl::Flag added, together;
  const auto number = static_cast<std::uint64_t>(ToInt(endpoint.rank()));
  const llcl::Posted posted = endpoint.KeepTrying([&] {
    return endpoint.TryAtomic<std::uint64_t>(
        {.target = {(*words)[0]}, .operand = number, .then = added.completion()});
  });
  if (posted != llcl::Posted::kPosted) return std::puts("rank 0 is gone"), 1;
  if (endpoint.Wait(added) != llcl::Outcome::kDone) return std::puts("it was not done"), 1;
  if (endpoint.world().TryBarrier(together.completion()) != llcl::Posted::kPosted ||
      endpoint.Wait(together) != llcl::Outcome::kDone) {
    return std::puts("not all ranks came"), 1;
  }
  if (number == 0) std::printf("%ld\n", *reinterpret_cast<const long*>(word->local().start));
  return 0;
}
