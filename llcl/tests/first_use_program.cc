// One of nine ranks by TCP: it has the connections of its circle (conduit/circle.h), which barriers
// and reductions use, too, and one more for each other rank that it uses.
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

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

// Connections of this process to others, by any network.
std::set<int> Connections() {
  std::set<int> all;
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_storage other = {};
    socklen_t length = sizeof other;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&other), &length) != 0) continue;
    if (other.ss_family == AF_INET || other.ss_family == AF_INET6) all.insert(fd);
  }
  return all;
}

}  // namespace

int main() {
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status().ToString());
  const std::set<int> before = Connections();  // of the launcher
  auto conduit = llcl::MakeConduit(**launch);
  if (!conduit.ok()) Fail(conduit.status().ToString());
  std::atomic<int> came{0};
  llcl::EndpointOptions options;
  options.handlers = {[&](const llcl::Message&) { ++came; }};
  llcl::Endpoint endpoint(*std::move(conduit), options);
  Require(endpoint.size() == 9, "this is for nine ranks");

  const auto require = [&](std::size_t expected, const std::string& when) {
    const std::size_t now = Connections().size() - before.size();
    // None goes on before all have counted.
    if (!(*launch)->Allgather("").ok()) Fail("the launcher is gone");
    if (now != expected) Fail("there are " + std::to_string(now) + " connections " + when);
  };
  const auto barrier = [&] {
    llcl::Flag done;
    Require(endpoint.world().TryBarrier(done.completion()) == Posted::kPosted, "no barrier");
    Require(endpoint.Wait(done) == Outcome::kDone, "a barrier fails");
  };
  require(6, "at first");  // At distances 1, 2 and 4, on both sides.
  for (int i = 0; i < 20; ++i) barrier();
  require(6, "after barriers");
  const auto send_to = [&](int distance) {
    const Rank to{(ToInt(endpoint.rank()) + distance) % 9};
    llcl::Flag done;
    Require(
        endpoint.TrySend({.to = to, .handler = llcl::HandlerId{0}, .then = done.completion()}) ==
            Posted::kPosted,
        "a message is refused");
    Require(endpoint.Wait(done) == Outcome::kDone, "a message fails");
  };
  // Ranks at a distance of 3 send to each other at the same time, and meet once.
  send_to(3);
  send_to(6);
  while (came < 2) (void)endpoint.TryAdvance();
  barrier();
  require(8, "with all ranks");
  barrier();
  if (endpoint.rank() == Rank{0}) std::printf("all connections were counted\n");
  return 0;
}
