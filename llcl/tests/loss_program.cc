// A rank for loss_test.sh: the last one is killed in the middle of everything, and the
// others find out, soon and by name, whatever they were doing with it.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "llcl/blocking.h"
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

std::vector<llcl::RemoteRegion> Exchange(llcl::Launch& launch, const llcl::Region& mine) {
  const llcl::RemoteRegion& region = mine.remote();
  const auto all = launch.Allgather({reinterpret_cast<const char*>(&region), sizeof region});
  if (!all.ok()) Fail(all.status().ToString());
  std::vector<llcl::RemoteRegion> regions(all->size());
  for (std::size_t i = 0; i < all->size(); ++i) {
    std::memcpy(&regions[i], (*all)[i].data(), sizeof regions[i]);
  }
  return regions;
}

// Reads, adds, messages and large messages until they fail. Bounded: by the loss itself.
void UseUntilItFails(llcl::Endpoint& endpoint, const llcl::RemoteRegion& there,
                     const llcl::Region& local) {
  const std::vector<std::byte> large(1'000'000);
  int ended = 0;
  while (true) {
    llcl::Flag done;
    Posted posted = Posted::kFull;
    switch (ended % 4) {
      case 0:
        posted = endpoint.TryRead(
            {.from = {there}, .to = {local.local()}, .bytes = 8, .then = done.completion()});
        break;
      case 1:
        posted = endpoint.TryAtomic<std::uint64_t>(
            {.target = {there}, .operand = 1, .then = done.completion()});
        break;
      case 2:
        posted = endpoint.TrySend(
            {.to = there.owner, .handler = llcl::HandlerId{0}, .then = done.completion()});
        break;
      default:
        posted = endpoint.TrySend({.to = there.owner,
                                   .handler = llcl::HandlerId{0},
                                   .payload = large,
                                   .then = done.completion()});
    }
    if (posted == Posted::kPeerDown) return;
    if (posted == Posted::kFull || posted == Posted::kNoTag) {
      (void)endpoint.TryAdvance();
      continue;
    }
    Require(posted == Posted::kPosted, "a request is refused for another reason");
    const Outcome outcome = endpoint.Wait(done);
    if (outcome == Outcome::kPeerDown) return;
    Require(outcome == Outcome::kDone, "an operation ends for another reason");
    ++ended;
  }
}

}  // namespace

int main() {
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status().ToString());
  auto conduit = llcl::MakeConduit(**launch);
  if (!conduit.ok()) Fail(conduit.status().ToString());
  std::atomic<int> lost{-1}, losses{0};
  llcl::EndpointOptions options;
  options.handlers = {[](const llcl::Message& message) {
    // All bytes are zero, or it would not have come.
    const auto bytes = message.payload();
    Require(bytes.empty() || (bytes[0] == std::byte{} &&
                              std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0),
            "a message is torn");
  }};
  options.on_loss = [&](Rank rank) {
    lost = ToInt(rank);
    ++losses;
  };
  llcl::Endpoint endpoint(*std::move(conduit), options);
  const Rank last{endpoint.size() - 1};
  std::vector<std::uint64_t> word(1);
  auto local = endpoint.Register(std::as_writable_bytes(std::span(word)));
  auto mine = endpoint.Allocate(8);
  if (!local.ok() || !mine.ok()) Fail("no memory");
  const auto all = Exchange(**launch, *mine);

  // All but the last wait for the last.
  llcl::Flag barrier, before;
  llcl::Team& world = endpoint.world();
  Require(world.TryBarrier(before.completion()) == Posted::kPosted, "a barrier is refused");
  Require(endpoint.Wait(before) == Outcome::kDone, "a barrier of the living fails");
  if (endpoint.rank() == last) {
    // In the middle of using the first.
    for (int i = 0; i < 1000; ++i) {
      llcl::Flag done;
      if (endpoint.TryAtomic<std::uint64_t>(
              {.target = {all[0]}, .operand = 1, .then = done.completion()}) == Posted::kPosted) {
        endpoint.Wait(done);
      }
    }
    // And in the middle of messages that the others read from its memory.
    const std::vector<std::byte> large(5'000'000);
    for (int rank = 0; rank < ToInt(last); ++rank) {
      for (int i = 0; i < 4; ++i) {
        (void)endpoint.TrySend({.to = Rank{rank}, .handler = llcl::HandlerId{0}, .payload = large});
      }
    }
    raise(SIGKILL);
  }
  Require(world.TryBarrier(barrier.completion()) == Posted::kPosted, "a barrier is refused");
  const auto start = std::chrono::steady_clock::now();
  UseUntilItFails(endpoint, all[static_cast<std::size_t>(ToInt(last))], *local);
  Require(endpoint.Wait(barrier) == Outcome::kPeerDown, "a barrier with the dead ends well");
  // Also the last rank's own work, under TSan and with nine ranks on two processors.
  Require(std::chrono::steady_clock::now() - start < std::chrono::seconds(30), "it took long");
  Require(endpoint.IsDown(last), "nobody says that it is down");
  Require(world.TryBarrier({}) == Posted::kPeerDown, "a team with the dead begins a barrier");
  while (losses == 0) (void)endpoint.TryAdvance();
  Require(lost == ToInt(last) && losses == 1, "a loss is reported once");

  // The living go on.
  const Rank next{(ToInt(endpoint.rank()) + 1) % ToInt(last)};
  llcl::Flag added;
  Require(endpoint.TryAtomic<std::uint64_t>({.target = {all[static_cast<std::size_t>(ToInt(next))]},
                                             .operand = 1,
                                             .then = added.completion()}) == Posted::kPosted,
          "the living refuse each other");
  Require(endpoint.Wait(added) == Outcome::kDone, "the living lose each other");
  const std::vector<std::byte> large(1'000'000);
  Require(llcl::Send(endpoint, {.to = next, .handler = llcl::HandlerId{0}, .payload = large}) ==
              Outcome::kDone,
          "the living send each other no large messages");
  std::vector<Rank> living;
  for (int rank = 0; rank < ToInt(last); ++rank) living.push_back(Rank{rank});
  llcl::Team team(world, living);
  llcl::Flag together;
  Require(team.TryBarrier(together.completion()) == Posted::kPosted, "the living cannot meet");
  Require(endpoint.Wait(together) == Outcome::kDone, "the living do not meet");
  std::printf("rank %d goes on\n", ToInt(endpoint.rank()));
  return 0;
}
