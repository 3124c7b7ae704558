// A rank for collective_loss_test.sh and cut_off_test.sh: all ranks repeat one long collective
// operation, and the last is killed or stopped in the middle, or cut off from the others by the
// test. The others learn of it from the operation, and go on in a team of their own; one that is
// cut off learns the same of the others. collective_loss_program OPERATION kill|stop|cut
// MICROSECONDS.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::Fail;
using llcl::Outcome;
using llcl::Rank;
using llcl::Require;
using Words = std::vector<std::uint64_t>;

constexpr std::size_t kWords = 200'000;

std::span<const std::byte> Sent(const Words& words) { return std::as_bytes(std::span(words)); }
std::span<std::byte> Bytes(Words& words) { return std::as_writable_bytes(std::span(words)); }

Outcome Do(llcl::Endpoint& endpoint, llcl::Team& team, std::string_view operation) {
  const auto ranks = static_cast<std::size_t>(team.size());
  const Words mine(kWords, 1), for_all(kWords * ranks, 1);
  Words data(kWords, 1), all(kWords * ranks);
  const std::vector<std::size_t> counts(ranks, kWords);
  return llcl::PostAndWait(endpoint, [&](llcl::Completion then) {
    if (operation == "barrier") return team.TryBarrier(then);
    if (operation == "broadcast") return team.TryBroadcast(Bytes(data), 0, then);
    if (operation == "gather") return team.TryGather(Sent(mine), Bytes(all), 0, then);
    if (operation == "scatter") return team.TryScatter(Sent(for_all), Bytes(data), 0, then);
    if (operation == "allgather") return team.TryAllgather(Sent(mine), Bytes(all), then);
    if (operation == "alltoall") return team.TryAlltoall(Sent(for_all), Bytes(all), then);
    if (operation == "reduce_scatter") {
      return team.TryReduceScatter<std::uint64_t>(for_all, data, counts, llcl::AtomicOp::kAdd,
                                                  then);
    }
    if (operation == "scan") {
      return team.TryScan<std::uint64_t>(mine, data, llcl::AtomicOp::kAdd, then);
    }
    Require(operation == "allreduce", "there is no such operation");
    return team.TryAllreduce<std::uint64_t>(mine, data, llcl::AtomicOp::kAdd, then);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 4, "three arguments");
  const std::string_view operation = argv[1];
  const std::string_view loss = argv[2];
  const bool stops = loss == "stop", is_cut = loss == "cut";
  llcl::EndpointOptions options;
  if (stops) options.timeout = std::chrono::seconds(2);
  auto job = llcl::Join(options);
  if (!job.ok()) Fail(job.status().ToString());
  llcl::Endpoint& endpoint = *job->endpoint;
  llcl::Team& world = endpoint.world();
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
  Outcome outcome = Outcome::kDone;
  const auto start = std::chrono::steady_clock::now();
  // Bounded: by the loss.
  while ((outcome = Do(endpoint, world, operation)) == Outcome::kDone) {
    // Ranks that only send do not wait for the others.
    if (operation != "barrier") outcome = Do(endpoint, world, "barrier");
    if (outcome != Outcome::kDone) break;
  }
  // llclrun waits for all ranks.
  if (stops && world.rank() == 0) kill(last, SIGKILL);
  // A rank that was stopped may be killed meanwhile.
  if (outcome != Outcome::kPeerDown && !(stops && outcome == Outcome::kLate))
    Fail("the operation ends with " + std::string(ToString(outcome)) + ": " + world.disagreement());
  const auto most = is_cut ? std::chrono::seconds(60) : std::chrono::seconds(10);
  Require(std::chrono::steady_clock::now() - start < most, "it took long");
  std::vector<Rank> living;
  for (int rank = 0; rank + 1 < world.size(); ++rank) living.push_back(Rank{rank});
  if (is_last) living = {Rank{world.rank()}};
  llcl::Team survivors(world, living);
  Require(Do(endpoint, survivors, operation) == Outcome::kDone, "the living do not go on");
  // None leaves while another still waits for the reason.
  Require(Do(endpoint, survivors, "barrier") == Outcome::kDone, "the living do not go on");
  std::printf("rank %d goes on\n", world.rank());
  return 0;
}
