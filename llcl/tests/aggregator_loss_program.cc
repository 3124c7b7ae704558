// A rank for aggregator_loss_test.sh and cut_off_test.sh: all ranks add records and end epochs,
// again and again, and the last is killed or stopped in the middle, or cut off from the others by
// the test. The others learn of it from the end of an epoch, and `failure()` names the rank; one
// that is cut off learns the same of the others. aggregator_loss_program finish|quiesce
// kill|stop|cut MICROSECONDS.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "llcl/aggregator.h"
#include "llcl/blocking.h"
#include "llcl/job.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::Fail;
using llcl::Outcome;
using llcl::Posted;
using llcl::Require;

struct Work {
  std::uint32_t place = 0, depth = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 4, "three arguments");
  const bool quiesces = std::string_view(argv[1]) == "quiesce";
  const std::string_view loss = argv[2];
  const bool stops = loss == "stop", is_cut = loss == "cut";
  llcl::EndpointOptions options;
  if (stops) options.timeout = std::chrono::seconds(2);
  auto job = llcl::Join(options);
  if (!job.ok()) Fail(job.status().ToString());
  llcl::Endpoint& endpoint = *job->endpoint;
  llcl::Team& world = endpoint.world();
  const auto ranks = static_cast<std::uint32_t>(world.size());
  llcl::Aggregator<Work>* self = nullptr;
  std::atomic<bool> is_made{false};
  auto made = llcl::Aggregator<Work>::Make(
      endpoint, world,
      [&](std::span<const Work> some) {
        for (const Work& work : some) {
          if (!quiesces || work.depth == 0 || !is_made) continue;
          const std::uint32_t place = work.place * 7 + 1;
          (void)self->Add(static_cast<int>(place % ranks), {place, work.depth - 1});
        }
      },
      {.bytes = 256});
  self = made.ok() ? made->get() : nullptr;
  is_made = made.ok();
  pid_t last = getpid();
  const Outcome met = llcl::PostAndWait(endpoint, [&](llcl::Completion then) {
    return world.TryBroadcast(std::as_writable_bytes(std::span(&last, 1)), world.size() - 1, then);
  });
  Require(met == Outcome::kDone || met == Outcome::kPeerDown, "the ranks do not meet");
  const bool is_last = world.rank() == world.size() - 1;
  if (is_cut) {
    std::printf("rank %d is ready\n", world.rank());
    (void)std::fflush(stdout);
  } else if (is_last) {
    std::thread([stops, microseconds = std::atoi(argv[3])] {
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      raise(stops ? SIGSTOP : SIGKILL);
    }).detach();
  }
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome = Outcome::kDone;
  std::string why(made.status().message());
  if (!made.ok()) outcome = Outcome::kPeerDown;
  // Bounded: by the loss.
  while (outcome == Outcome::kDone) {
    for (std::uint32_t i = 0; i < 3000; ++i) {
      if (self->Add(static_cast<int>(i % ranks), {i, 3}) != Posted::kPosted) break;
    }
    outcome = llcl::PostAndWait(endpoint, [&](llcl::Completion then) {
      return quiesces ? self->TryQuiesce(then) : self->TryFinish(then);
    });
    why = self->failure();
  }
  // llclrun waits for all ranks.
  if (stops && world.rank() == 0) kill(last, SIGKILL);
  const auto took = std::chrono::steady_clock::now() - start;
  Require(took < std::chrono::seconds(is_cut ? 60 : 15), "it took long");
  Require(!why.empty(), "there is no sentence");
  Require(self == nullptr || self->Add(0, {}) != Posted::kPosted, "a record is accepted");
  // A rank that was stopped may be killed meanwhile.
  if (outcome != Outcome::kPeerDown && !(stops && outcome == Outcome::kLate)) {
    Fail("it ends with " + std::string(ToString(outcome)) + ": " + why);
  }
  // None leaves while another still waits for the reason.
  std::vector<llcl::Rank> living;
  for (int rank = 0; rank + 1 < world.size(); ++rank) living.push_back(world.member(rank));
  if (is_last) living = {world.member(world.rank())};
  llcl::Team survivors(world, living);
  const Outcome go_on = llcl::PostAndWait(
      endpoint, [&](llcl::Completion then) { return survivors.TryBarrier(then); });
  Require(go_on == Outcome::kDone, "the living do not go on");
  std::printf("rank %d goes on: %s: %s\n", world.rank(), ToString(outcome).data(), why.c_str());
  return 0;
}
