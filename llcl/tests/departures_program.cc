// A rank for departures_test.sh: of many ranks some are killed and some leave, at random times, and
// the ranks that stay hear of each once, and how it went: most have never met.
//
//   departures_program SEED
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::Fail;
using llcl::Outcome;
using llcl::Posted;
using llcl::Rank;
using llcl::Require;

enum class Part { kStays, kLeaves, kIsKilled };

// Of a rank. A value.
struct Plan {
  Part part = Part::kStays;
  int after_us = 0;
};

// The same on all ranks. Half of them stays at least, so that some rank that has met the departing
// one does: of ranks that go together with all that have met them nobody hears.
std::vector<Plan> MakePlan(std::uint64_t seed, int size) {
  std::mt19937_64 random(seed);
  std::vector<Plan> plan(static_cast<std::size_t>(size));
  for (Plan& of : plan) {
    of.part = static_cast<Part>(random() % 3);
    of.after_us = static_cast<int>(random() % 30'000);
  }
  const std::size_t first = random() % plan.size();
  for (std::size_t i = 0; 2 * i < plan.size(); ++i) {
    plan[(first + i) % plan.size()].part = Part::kStays;
  }
  return plan;
}

// How often this rank has heard of each one.
class Heard {
 public:
  explicit Heard(std::size_t size) : lost_(size), left_(size) {}
  void OnLoss(Rank rank) { Count(lost_, rank); }
  void OnLeave(Rank rank) { Count(left_, rank); }
  // The ranks that depart and have not been heard of; fails where one went in another way.
  std::string Missing(const std::vector<Plan>& plan) {
    const std::lock_guard lock(mutex_);
    std::string missing;
    for (std::size_t rank = 0; rank < plan.size(); ++rank) {
      const Part part = plan[rank].part;
      const int losses = part == Part::kIsKilled ? 1 : 0;
      // Another staying rank may end before this one.
      const int leaves = part == Part::kLeaves || part == Part::kStays ? 1 : 0;
      if (lost_[rank] > losses || left_[rank] > leaves) {
        Fail("rank " + std::to_string(rank) + " is lost " + std::to_string(lost_[rank]) +
             " times and has left " + std::to_string(left_[rank]) + " times");
      }
      const bool is_heard = lost_[rank] == losses && left_[rank] == leaves;
      if (part != Part::kStays && !is_heard) missing += " " + std::to_string(rank);
    }
    return missing;
  }

 private:
  void Count(std::vector<int>& counts, Rank rank) {
    const std::lock_guard lock(mutex_);
    ++counts[static_cast<std::size_t>(ToInt(rank))];
  }
  std::mutex mutex_;
  std::vector<int> lost_, left_;
};

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "departures_program SEED");
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status().ToString());
  auto conduit = llcl::MakeConduit(**launch);
  if (!conduit.ok()) Fail(conduit.status().ToString());
  const std::vector<Plan> plan = MakePlan(std::strtoull(argv[1], nullptr, 10), (*conduit)->size());
  Heard heard(plan.size());
  llcl::EndpointOptions options;
  options.on_loss = [&](Rank rank) { heard.OnLoss(rank); };
  options.on_leave = [&](Rank rank) { heard.OnLeave(rank); };
  auto endpoint = std::make_unique<llcl::Endpoint>(*std::move(conduit), options);
  // All are there, and the launcher is not needed any more.
  if (!(*launch)->Allgather("").ok()) Fail("the launcher is gone");
  const Plan mine = plan[static_cast<std::size_t>(ToInt(endpoint->rank()))];
  if (mine.part != Part::kStays) {
    usleep(static_cast<useconds_t>(mine.after_us));
    if (mine.part == Part::kIsKilled) raise(SIGKILL);
    endpoint.reset();
    return 0;
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (std::string missing; !(missing = heard.Missing(plan)).empty();) {
    (void)endpoint->TryAdvance();
    if (std::chrono::steady_clock::now() > until) Fail("it has not heard of" + missing);
  }
  // The staying ranks go on together.
  std::vector<Rank> staying;
  for (std::size_t rank = 0; rank < plan.size(); ++rank) {
    if (plan[rank].part == Part::kStays) staying.push_back(Rank{static_cast<std::int32_t>(rank)});
  }
  llcl::Team team(endpoint->world(), staying);
  for (int i = 0; i < 3; ++i) {
    llcl::Flag done;
    Require(team.TryBarrier(done.completion()) == Posted::kPosted, "a barrier is refused");
    Require(endpoint->Wait(done) == Outcome::kDone, "a barrier fails");
  }
  (void)heard.Missing(plan);
  std::printf("one of %zu has heard all\n", staying.size());
  return 0;
}
