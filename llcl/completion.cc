#include "llcl/completion.h"

#include <sched.h>

#include <cstdint>

#include "llcl/system/clock.h"

namespace llcl {
namespace {

constexpr std::int64_t kYieldNs = 100'000;  // some round trips between machines

// The progress thread may need this processor: a page that faulted on a machine of two came by TCP
// after 41 us where the thread that waited for it spun, and comes after 20. By time, as a yield
// takes as long as the threads run that it lets run.
template <typename Done>
void YieldUntil(const Done& done) {
  if (done()) return;
  for (const std::int64_t until = NowNs() + kYieldNs; !done() && NowNs() < until;) sched_yield();
}

}  // namespace

void Flag::SleepUntilDone() const {
  YieldUntil([this] { return done(); });
  state_.WaitWhile(0);
}

void Counter::SleepUntilDone(std::uint64_t expected) const {
  YieldUntil([&] { return done(expected); });
  for (std::uint64_t now = ended(); now < expected; now = ended()) ended_.WaitWhile(now);
}

}  // namespace llcl
