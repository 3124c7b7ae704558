// A rank for vanished_test.sh: the last one's machine vanishes, so that nothing says that it is
// gone. Operations with it are late, and soon all others take it for gone, whatever they do with
// it: rank 0 asks it for something again and again, rank 1 does nothing, and rank 2 has sent
// it a message and waits for no answer. It takes all others for gone.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::Fail;
using llcl::HandlerId;
using llcl::OrFail;
using llcl::Outcome;
using llcl::Posted;
using llcl::Rank;
using llcl::Require;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

constexpr HandlerId kHasVanished{0};

void SleepUntil(const std::atomic<int>& count, int expected, Clock::time_point until,
                const char* what) {
  while (count < expected) {
    Require(Clock::now() < until, what);
    std::this_thread::sleep_for(10ms);
  }
}

Outcome Meet(llcl::Endpoint& endpoint, llcl::Team& team) {
  return llcl::PostAndWait(endpoint, [&](auto then) { return team.TryBarrier(then); });
}

}  // namespace

int main() {
  constexpr int kRanks = 4;
  const auto launch = OrFail(llcl::FindLaunch());
  Require(launch->size() == kRanks, "this is for 4 ranks");
  auto conduit = OrFail(llcl::MakeConduit(*launch));
  const Rank last{kRanks - 1};
  const bool is_last = launch->rank() == last;
  std::atomic<int> losses{0}, told{0};
  llcl::EndpointOptions options;
  options.timeout = 60s;
  options.on_loss = [&](Rank rank) {
    Require(is_last || rank == last, "a rank that is there is taken for gone");
    ++losses;
  };
  options.handlers = {[&](const llcl::Message&) { ++told; }};
  llcl::Endpoint endpoint(std::move(conduit), options);
  const auto mine = OrFail(endpoint.Allocate(8));
  const llcl::RemoteRegion& region = mine.remote();
  const auto all =
      OrFail(launch->Allgather({reinterpret_cast<const char*>(&region), sizeof region}));
  llcl::RemoteRegion there;
  std::memcpy(&there, all.back().data(), sizeof there);
  llcl::Team& world = endpoint.world();
  Require(Meet(endpoint, world) == Outcome::kDone, "the ranks do not meet");
  const auto add = [&] {
    return llcl::Atomic<std::uint64_t>(endpoint,
                                       {.target = {there}, .operand = 1, .timeout = 500ms});
  };
  Require(add() == Outcome::kDone, "an atomic fails before");
  (void)OrFail(launch->Allgather(""));

  const auto rank = ToInt(endpoint.rank());
  llcl::Flag barrier;
  if (!is_last) Require(world.TryBarrier(barrier.completion()) == Posted::kPosted, "no barrier");
  std::printf("rank %d is ready\n", rank);
  std::fflush(stdout);
  // The test lets it vanish now.
  Outcome outcome = Outcome::kDone;
  const auto begun = Clock::now();
  if (rank == 0) {
    while (outcome == Outcome::kDone) {
      outcome = add();
      Require(Clock::now() < begun + 60s, "it does not vanish");
    }
    Require(outcome == Outcome::kLate, "the first operation that fails is not late");
    for (const int other : {1, 2}) {
      (void)llcl::Send(endpoint, {.to = Rank{other}, .handler = kHasVanished});
    }
  } else if (!is_last) {
    SleepUntil(told, 1, begun + 60s, "nobody says that it vanishes");
  }
  const auto vanished = Clock::now();
  if (rank == 2) {
    Require(llcl::Send(endpoint, {.to = last, .handler = kHasVanished}) == Outcome::kDone,
            "a message is not on its way");
  }
  while (rank == 0 && outcome != Outcome::kPeerDown) {
    outcome = add();
    Require(outcome == Outcome::kLate || outcome == Outcome::kPeerDown, "another outcome");
    Require(Clock::now() < vanished + 25s, "it is not taken for gone");
  }
  SleepUntil(losses, is_last ? kRanks - 1 : 1, is_last ? begun + 90s : vanished + 25s,
             "it is not taken for gone");
  const auto after = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - vanished);
  if (!is_last) {
    Require(endpoint.Wait(barrier) == Outcome::kPeerDown, "a barrier with it ends well");
    Require(add() == Outcome::kPeerDown, "it is asked for more");
    llcl::Team living(world, {Rank{0}, Rank{1}, Rank{2}});
    Require(Meet(endpoint, living) == Outcome::kDone, "the living do not meet");
  }
  std::printf("rank %d goes on after %d ms\n", rank, static_cast<int>(after.count()));
  return 0;
}
