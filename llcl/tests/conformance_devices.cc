// What the devices of every conduit do with transfers, and when there is nothing to do
// (conformance.h).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

// Verbs devices move 8 MiB to 2 GiB at a time.
TEST_P(Conformance, ATransferOfMoreThanADeviceMovesAtATimeIsWhole) {
  Run([&](Member& member) {
    constexpr std::size_t kWords = (std::size_t{9} << 20) / 8;
    const Region target = member.Allocate(kWords * 8);
    const auto all = member.Exchange(target);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    std::vector<std::uint64_t> out(kWords), back(kWords);
    std::iota(out.begin(), out.end(), std::uint64_t{1});
    const Region from = member.Register(out), to = member.Register(back);
    Flag written, read;
    member.Post([&] {
      return member.endpoint().TryWrite(
          {.from = {from.local()}, .to = there, .bytes = kWords * 8, .then = written.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(written), Outcome::kDone);
    member.Post([&] {
      return member.endpoint().TryRead(
          {.from = there, .to = {to.local()}, .bytes = kWords * 8, .then = read.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(read), Outcome::kDone);
    EXPECT_TRUE(out == back);
    member.Barrier();
    EXPECT_EQ(std::memcmp(target.local().start, out.data(), kWords * 8), 0);
    member.Barrier();
  });
}

// Where the conduit has several (LLCL_DEVICES).
TEST_P(Conformance, TransfersAreSpreadOverAllDevices) {
  Run([&](Member& member) {
    constexpr std::size_t kLong = 1 << 17;
    std::vector<std::byte> got(kLong);
    const Region from = member.Allocate(kLong), to = member.Register(got);
    const auto all = member.Exchange(from);
    Endpoint& endpoint = member.endpoint();
    const std::size_t devices = endpoint.devices();
    if (const char* const wanted = std::getenv("LLCL_DEVICES")) {
      EXPECT_EQ(devices, std::strtoul(wanted, nullptr, 10));
    }
    const auto posted_by = [&](std::size_t device) {
      const ExecutorCounts counts = endpoint.counts(device);
      return counts.posted_by_callers + counts.posted_from_ring;
    };
    std::vector<std::uint64_t> before;
    for (std::size_t i = 0; i < devices; ++i) before.push_back(posted_by(i));
    for (std::size_t i = 0; i < devices; ++i) {
      Flag done;
      member.Post([&] {
        return endpoint.TryRead({.from = {all[static_cast<std::size_t>(member.next())]},
                                 .to = {to.local()},
                                 .bytes = kLong,
                                 .then = done.completion()});
      });
      EXPECT_EQ(endpoint.Wait(done), Outcome::kDone);
    }
    for (std::size_t i = 0; i < devices && devices > 1; ++i) {
      EXPECT_GT(posted_by(i), before[i]) << "device " << i;
    }
    member.Barrier();
  });
}

// It is woken some times while ranks end their earlier operations, then no more.
TEST_P(Conformance, AnIdleEndpointSleeps) {
  Run([&](Member& member) {
    member.Barrier();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const ExecutorCounts before = member.endpoint().counts();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    const ExecutorCounts after = member.endpoint().counts();
    const std::uint64_t sleeps = 10u * static_cast<std::uint64_t>(member.endpoint().devices());
    EXPECT_LE(after.sleeps - before.sleeps, sleeps);
    // No round is shorter.
    constexpr int kRoundNs = 10;
    constexpr auto rounds_until_sleep = static_cast<std::uint64_t>(
        (IdlePolicy().spin_us + IdlePolicy().yield_us) * 1000 / kRoundNs);
    EXPECT_LE(after.rounds - before.rounds, (sleeps + 1) * rounds_until_sleep);
    member.Barrier();
  });
}

}  // namespace
}  // namespace llcl
