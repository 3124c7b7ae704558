// A rank for stats_test.sh: makes a known number of operations, mostly with the next rank.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::HandlerId;
using llcl::Outcome;
using llcl::Require;

void Meet(llcl::Endpoint& endpoint) {
  Require(
      llcl::PostAndWait(endpoint, [&](auto then) { return endpoint.world().TryBarrier(then); }) ==
          Outcome::kDone,
      "the ranks do not meet");
}

}  // namespace

int main() {
  std::atomic<int> answered{0};
  const std::vector<std::byte> answer(3), question(100), large(100'000);
  llcl::EndpointOptions options;
  options.handlers = {
      [&](llcl::Message& message) { (void)message.Reply(HandlerId{1}, answer); },
      [&](llcl::Message&) { ++answered; },
      [](llcl::Message&) {},
  };
  llcl::Job job = llcl::OrFail(llcl::Join(options));
  llcl::Endpoint& endpoint = *job.endpoint;
  const llcl::Region mine = llcl::OrFail(endpoint.Allocate(4096));
  const auto all = llcl::OrFail(llcl::Exchange(endpoint, mine));
  const llcl::Rank next{(ToInt(endpoint.rank()) + 1) % endpoint.size()};
  const llcl::RemoteRegion& there = all[static_cast<std::size_t>(ToInt(next))];
  std::vector<std::byte> memory(4096);
  const llcl::Region local = llcl::OrFail(endpoint.Register(memory));
  std::vector<llcl::RemoteRegion> gone;
  {
    const llcl::Region short_lived = llcl::OrFail(endpoint.Allocate(8));
    gone = llcl::OrFail(llcl::Exchange(endpoint, short_lived));
  }
  Meet(endpoint);

  for (int i = 0; i < 5; ++i) {
    Require(llcl::Read(endpoint, {.from = {there}, .to = {local.local()}, .bytes = 8}) ==
                Outcome::kDone,
            "a read fails");
  }
  Require(endpoint.TryRead({.from = {there, 4090}, .to = {local.local()}, .bytes = 8}) ==
              llcl::Posted::kBadRange,
          "a read beyond the end is not refused");
  Require(llcl::Read(endpoint, {.from = {gone[static_cast<std::size_t>(ToInt(next))]},
                                .to = {local.local()},
                                .bytes = 8}) == Outcome::kRefused,
          "a read of a region that is gone is not refused");
  for (int i = 0; i < 3; ++i) {
    Require(llcl::Write(endpoint, {.from = {local.local()}, .to = {there, 1024}, .bytes = 1024}) ==
                Outcome::kDone,
            "a write fails");
  }
  for (int i = 0; i < 2; ++i) {
    Require(
        llcl::Atomic<std::uint64_t>(endpoint, {.target = {there}, .operand = 1}) == Outcome::kDone,
        "an atomic fails");
  }
  llcl::Counter puts;
  const llcl::WriteParams put = {
      .from = {local.local()}, .to = {there, 1024}, .bytes = 512, .then = puts.completion()};
  Require(endpoint.TryWriteThenAtomic<std::uint64_t>(
              put, {.target = {there}, .operand = 1, .then = puts.completion()}) ==
              llcl::Posted::kPosted,
          "a put with an atomic is refused");
  Require(endpoint.TryWriteThenSend(put, {.to = next,
                                          .handler = HandlerId{2},
                                          .payload = question,
                                          .then = puts.completion()}) == llcl::Posted::kPosted,
          "a put with a message is refused");
  endpoint.Wait(puts, 4);
  for (int i = 0; i < 4; ++i) {
    Require(llcl::Send(endpoint, {.to = next, .handler = HandlerId{0}, .payload = question}) ==
                Outcome::kDone,
            "a message fails");
  }
  Require(llcl::Send(endpoint, {.to = next, .handler = HandlerId{2}, .payload = large}) ==
              Outcome::kDone,
          "a large message fails");
  while (answered < 4) (void)endpoint.TryAdvance();
  Meet(endpoint);
  Meet(endpoint);
  return 0;
}
