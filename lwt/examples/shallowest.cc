// A steal policy of one's own, on real workers and on 32 simulated ones: thieves
// look at some victims and take the thread that is least deep in the recursion.
// [NNT13] chapter 4, which asks whether that brings larger pieces of work.
#include <climits>
#include <cstdio>

#include "lwt/lwt.h"

struct Shallowest {
  int candidates = 8;
  lwt::ReadyThread Steal(lwt::Worker& self) {
    int best = -1, least = INT_MAX;
    for (int i = 0; i < candidates; ++i) {
      const int victim = self.RandomPeer();
      const auto depth = self.victim(victim).Peek<int>();
      if (depth && *depth < least) best = victim, least = *depth;
    }
    return self.victim(best < 0 ? self.RandomPeer() : best).Take();
  }
};

long Leaves(int depth) {
  if (depth == 12) {
    lwt::Compute(4'000);  // counts in virtual time only
    return 1;
  }
  long left = 0;
  // The hint is the spawning thread's: what a thief takes is the rest of this call.
  lwt::SetHint(depth);
  lwt::Thread child = lwt::SpawnWithHint(depth + 1, [&] { left = Leaves(depth + 1); });
  const long right = Leaves(depth + 1);
  child.Join();
  return left + right;
}

bool Count(const char* name, const lwt::PoolOptions& options) {
  const auto pool = *lwt::Pool::Create(options);
  const long leaves = pool->Run([] { return Leaves(0); });
  std::printf("%s: %ld leaves; steals by depth:", name, leaves);
  for (std::size_t depth = 0; depth <= 12; ++depth) {
    std::int64_t steals = 0;
    for (int i = 0; i < pool->workers(); ++i) {
      steals += pool->worker(i).counters().steals_by_depth[depth].value();
    }
    std::printf(" %lld", static_cast<long long>(steals));
  }
  std::printf("\n");
  return leaves == 4096;
}

int main() {
  const bool real = Count("real", {.workers = 4, .policy = Shallowest()});
  const lwt::SimulationOptions simulation;
  const bool random = Count("simulated, random", {.workers = 32, .simulation = simulation});
  const bool mine = Count("simulated, shallowest",
                          {.workers = 32, .policy = Shallowest(), .simulation = simulation});
  return real && random && mine ? 0 : 1;
}
