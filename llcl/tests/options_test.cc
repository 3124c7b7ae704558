// Each field of each options struct at its extremes: it works, or is a Status with field and value.
#include "llcl/options.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/launch/rendezvous.h"
#include "llcl/ofi/conduit.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"
#include "llcl/start/processes.h"
#include "llcl/team.h"

namespace llcl {
namespace {

using std::chrono_literals::operator""ms;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kIntMin = std::numeric_limits<int>::min(), kIntMax = std::numeric_limits<int>::max();

template <typename Options>
struct Row {
  std::function<void(Options&)> change;
  std::string says;  // field and value; empty: it works
};
#define WITH(Options, change) [](Options& options) { options.change; }

// A message of a rank to itself, and a barrier: it works.
void Works(std::unique_ptr<Conduit> conduit, const EndpointOptions& options, std::size_t row) {
  auto endpoint = Endpoint::Make(std::move(conduit), options);
  ASSERT_TRUE(endpoint.ok()) << "row " << row << ": " << endpoint.status();
  Flag together;
  ASSERT_EQ((*endpoint)->world().TryBarrier(together.completion()), Posted::kPosted);
  EXPECT_EQ((*endpoint)->Wait(together), Outcome::kDone) << "row " << row;
  auto memory = (*endpoint)->Allocate(64);
  ASSERT_TRUE(memory.ok()) << memory.status();
  Flag added;
  ASSERT_EQ((*endpoint)->KeepTrying([&] {
    return (*endpoint)->TryAtomic<std::uint64_t>(
        {.target = {memory->remote()}, .operand = 3, .then = added.completion()});
  }),
            Posted::kPosted);
  EXPECT_EQ((*endpoint)->Wait(added), Outcome::kDone) << "row " << row;
  EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(memory->local().start), 3u);
}

TEST(Options, OfAnEndpointWorkOrSayWhichFieldIsWrong) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const std::vector<Row<EndpointOptions>> rows = {
      {WITH(EndpointOptions, executor.mode = static_cast<Mode>(3)), "executor.mode is 3"},
      {WITH(EndpointOptions, executor.mode = static_cast<Mode>(255)), "executor.mode is 255"},
      {WITH(EndpointOptions, executor.ring = 0), "executor.ring is 0"},
      {WITH(EndpointOptions, executor.ring = 1), "executor.ring is 1"},
      {WITH(EndpointOptions, executor.ring = 2), ""},
      {WITH(EndpointOptions, executor.ring = 3), "executor.ring is 3"},
      {WITH(EndpointOptions, executor.ring = kMost), "executor.ring is 18446744073709551615"},
      {WITH(EndpointOptions, executor.ring = std::size_t{1} << 47),
       "executor.ring is 140737488355328"},
      {WITH(EndpointOptions, executor.lanes = 0), "executor.lanes is 0"},
      {WITH(EndpointOptions, executor.lanes = 1024; options.executor.ring = 2), ""},
      {WITH(EndpointOptions, executor.lanes = kMost), "executor.lanes is 18446744073709551615"},
      {WITH(EndpointOptions, executor.tags = 0), "executor.tags is 0"},
      {WITH(EndpointOptions, executor.tags = 1), ""},
      {WITH(EndpointOptions, executor.tags = kNullTag), "executor.tags is 4294967295"},
      {WITH(EndpointOptions, executor.idle.spin_us = -1), "executor.idle.spin_us is -1"},
      {WITH(EndpointOptions, executor.idle.spin_us = kIntMax),
       "executor.idle.spin_us is 2147483647"},
      {WITH(EndpointOptions, executor.idle.spin_us = 0; options.executor.idle.yield_us = 0), ""},
      {WITH(EndpointOptions, executor.idle.yield_us = kIntMin),
       "executor.idle.yield_us is -2147483648"},
      {WITH(EndpointOptions, executor.idle.yield_of_waits_us = -1),
       "executor.idle.yield_of_waits_us is -1"},
      {WITH(EndpointOptions, executor.idle.yield_of_waits_us = 0), ""},
      {WITH(EndpointOptions, handlers.resize(1)), "handlers is empty at 0"},
      {WITH(EndpointOptions, handlers.resize(65'537)), "handlers.size() is 65537"},
      {WITH(EndpointOptions, credits = 0), "credits is 0"},
      {WITH(EndpointOptions, credits = -1), "credits is -1"},
      {WITH(EndpointOptions, credits = 1), ""},
      {WITH(EndpointOptions, credits = kIntMax), "credits is 2147483647"},
      {WITH(EndpointOptions, large_bytes = 0), ""},
      {WITH(EndpointOptions, large_bytes = 1), ""},
      {WITH(EndpointOptions, large_bytes = std::uint64_t{1} << 41), "large_bytes is 2199023255552"},
      {WITH(EndpointOptions, timeout = 0ms), "timeout in milliseconds is 0"},
      {WITH(EndpointOptions, timeout = -5ms), "timeout in milliseconds is -5"},
      {WITH(EndpointOptions, timeout = Timeout::max()), ""},
      {WITH(EndpointOptions, packs = true), ""},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EndpointOptions options;
    rows[i].change(options);
    SimFabric fabric({.ranks = 1});
    if (rows[i].says.empty()) {
      Works(MakeSimConduit(fabric, Rank{0}), options, i);
      continue;
    }
    const auto made = Endpoint::Make(MakeSimConduit(fabric, Rank{0}), options);
    EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << "row " << i;
    EXPECT_NE(made.status().message().find(rows[i].says), std::string::npos)
        << "row " << i << ": " << made.status();
  }
}

TEST(Options, OfASimulatedNetworkWorkOrSayWhichFieldIsWrong) {
  const std::vector<Row<SimOptions>> rows = {
      {WITH(SimOptions, ranks = 0), "ranks is 0"},
      {WITH(SimOptions, ranks = -1), "ranks is -1"},
      {WITH(SimOptions, ranks = 1), ""},
      {WITH(SimOptions, ranks = kIntMax), "ranks is 2147483647"},
      {WITH(SimOptions, seed = 0), ""},
      {WITH(SimOptions, seed = ~std::uint64_t{0}), ""},
      {WITH(SimOptions, latency_ns = 0), ""},
      {WITH(SimOptions, latency_ns = -1), "latency_ns is -1"},
      {WITH(SimOptions, latency_ns = kNan), "latency_ns is nan"},
      {WITH(SimOptions, latency_ns = kInfinity), "latency_ns is inf"},
      {WITH(SimOptions, bytes_per_ns = 0), "bytes_per_ns is 0"},
      {WITH(SimOptions, bytes_per_ns = -10), "bytes_per_ns is -10"},
      {WITH(SimOptions, bytes_per_ns = kNan), "bytes_per_ns is nan"},
      {WITH(SimOptions, bytes_per_ns = 1e9), ""},
      {WITH(SimOptions, jitter = 0), ""},
      {WITH(SimOptions, jitter = 1), ""},
      {WITH(SimOptions, jitter = -0.5), "jitter is -0.5"},
      {WITH(SimOptions, jitter = 2), "jitter is 2"},
      {WITH(SimOptions, jitter = kNan), "jitter is nan"},
      {WITH(SimOptions, most_posted = 0), "most_posted is 0"},
      {WITH(SimOptions, most_posted = 1), ""},
      {WITH(SimOptions, most_posted = ~std::size_t{0}), "most_posted is 18446744073709551615"},
      {WITH(SimOptions, detection_ns = 0), ""},
      {WITH(SimOptions, detection_ns = -kInfinity), "detection_ns is -inf"},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SimOptions options = {.ranks = 1};
    rows[i].change(options);
    const auto fabric = SimFabric::Make(options);
    if (rows[i].says.empty()) {
      ASSERT_TRUE(fabric.ok()) << "row " << i << ": " << fabric.status();
      Works(MakeSimConduit(**fabric, Rank{0}), {}, i);
      continue;
    }
    EXPECT_EQ(fabric.status().code(), absl::StatusCode::kInvalidArgument) << "row " << i;
    EXPECT_NE(fabric.status().message().find(rows[i].says), std::string::npos)
        << "row " << i << ": " << fabric.status();
  }
}

TEST(Options, OfLibfabricsConduitSayWhichFieldIsWrong) {
  const std::vector<Row<OfiOptions>> rows = {
      {WITH(OfiOptions, devices = 0), "not 0"},
      {WITH(OfiOptions, devices = -1), "not -1"},
      {WITH(OfiOptions, devices = kIntMax), "not 2147483647"},
      {WITH(OfiOptions, provider = "nobody's"), "nobody's"},
      {WITH(OfiOptions, provider = "sockets"), "sockets"},
      {WITH(OfiOptions, node = "no such node"; options.provider = "tcp;ofi_rxm"), "no such node"},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    OfiOptions options;
    rows[i].change(options);
    const auto launch = MakeSingleton();
    const auto conduit = MakeOfiConduit(*launch, options);
    ASSERT_FALSE(conduit.ok()) << "row " << i;
    EXPECT_NE(conduit.status().message().find(rows[i].says), std::string::npos)
        << "row " << i << ": " << conduit.status();
  }
}

TEST(Options, OfARendezvousSayWhichFieldIsWrong) {
  const std::vector<Row<RendezvousOptions>> rows = {
      {WITH(RendezvousOptions, address = ""), "address"},
      {WITH(RendezvousOptions, address = "127.0.0.1"), "127.0.0.1"},
      {WITH(RendezvousOptions, address = "127.0.0.1:65536"), "65536"},
      {WITH(RendezvousOptions, address = "127.0.0.1:-1"), "-1"},
      {WITH(RendezvousOptions, secret = "short"), "secret"},
      {WITH(RendezvousOptions, rank = Rank{-1}), "-1"},
      {WITH(RendezvousOptions, rank = Rank{2}), "2"},
      {WITH(RendezvousOptions, size = 0), "0"},
      {WITH(RendezvousOptions, size = -1), "-1"},
      {WITH(RendezvousOptions, size = kIntMax), "2147483647"},
      {WITH(RendezvousOptions, deadline = -1ms), "deadline"},
      {WITH(RendezvousOptions, patience = -1ms), "patience"},
      {WITH(RendezvousOptions, patience = std::chrono::milliseconds::max()), "patience"},
      {WITH(RendezvousOptions, deadline = std::chrono::milliseconds::max()), "deadline"},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RendezvousOptions options = {.address = "127.0.0.1:1",
                                 .secret = "0123456789abcdef0123456789abcdef",
                                 .rank = Rank{1},
                                 .size = 2,
                                 .deadline = 50ms};
    rows[i].change(options);
    const auto met = Meet(options);
    EXPECT_EQ(met.status().code(), absl::StatusCode::kInvalidArgument)
        << "row " << i << ": " << met.status();
    EXPECT_NE(met.status().message().find(rows[i].says), std::string::npos)
        << "row " << i << ": " << met.status();
  }
}

TEST(Options, OfAJobSayWhichFieldIsWrong) {
  const std::vector<Row<JobOptions>> rows = {
      {WITH(JobOptions, ranks = 0), "ranks is 0"},
      {WITH(JobOptions, ranks = -1), "ranks is -1"},
      {WITH(JobOptions, ranks = kIntMax), "ranks is 2147483647"},
      {WITH(JobOptions, command.clear()), "command is empty"},
      {WITH(JobOptions, commands.resize(3)), "commands.size() is 3"},
      {WITH(JobOptions, numbers.resize(1)), "numbers.size() is 1"},
      {WITH(JobOptions, bindings.resize(3)), "bindings.size() is 3"},
      {WITH(JobOptions, ignores_interrupts.resize(3)), "ignores_interrupts.size() is 3"},
      {WITH(JobOptions, most_seconds = 0), "most_seconds is 0"},
      {WITH(JobOptions, seconds_to_end = 0), "seconds_to_end is 0"},
      {WITH(JobOptions, output = "out"), "output is out: it has %r"},
      {[](JobOptions& options) {
         options.output = "out.%r";
         options.lines = JobLines::kLabeled;
       },
       "output is out.%r: lines"},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    JobOptions options = {.ranks = 2, .command = {"true"}};
    rows[i].change(options);
    const auto code = RunJob(options);
    EXPECT_EQ(code.status().code(), absl::StatusCode::kInvalidArgument) << "row " << i;
    EXPECT_NE(code.status().message().find(rows[i].says), std::string::npos)
        << "row " << i << ": " << code.status();
  }
}

}  // namespace
}  // namespace llcl
