// Every field of every options struct at its extremes: it works, or a sentence names it.
#include "dsm/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "dsm/sim/cluster.h"
#include "dsm/space.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace dsm {
namespace {

using std::chrono_literals::operator""ms;
using testing::HasSubstr;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr int kIntMin = std::numeric_limits<int>::min(), kIntMax = std::numeric_limits<int>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

template <typename Options>
struct Case {
  const char* refused;  // the beginning of the sentence; empty: it works
  std::function<void(Options&)> set;
};

// A rank alone writes two pages, meets itself and finds what it wrote.
void ExpectItWorks(llcl::SimFabric& fabric, const SpaceOptions& options) {
  const auto space = Space::Make(llcl::MakeSimConduit(fabric, llcl::Rank{0}), options);
  ASSERT_TRUE(space.ok()) << space.status();
  const auto memory = (*space)->Allocate({{options.page_bytes + 1}, 1}, OnRank{0});
  ASSERT_TRUE(memory.ok()) << memory.status();
  memory->front() = memory->back() = std::byte{7};
  EXPECT_EQ((*space)->Barrier(Consistency::kFlush), absl::OkStatus());
  EXPECT_EQ(memory->back(), std::byte{7});
}

TEST(Options, OfASpaceAtTheirExtremes) {
  const Case<SpaceOptions> kCases[] = {
      {"", [](auto&) {}},
      {"bytes is 0", [](auto& its) { its.bytes = 0; }},
      {"bytes is 4097", [](auto& its) { its.bytes = 4097; }},
      {"bytes is 18446744073709547520", [](auto& its) { its.bytes = kMost - 4095; }},
      {"", [](auto& its) { its.bytes = 2 * 4096; }},
      {"page_bytes is 0", [](auto& its) { its.page_bytes = 0; }},
      {"page_bytes is 4095", [](auto& its) { its.page_bytes = 4095; }},
      {"page_bytes is 9223372036854775808", [](auto& its) { its.page_bytes = kMost / 2 + 1; }},
      {"", [](auto& its) { its.page_bytes = 1 << 21; }},
      {"base is 0x0", [](auto& its) { its.base = 0; }},
      {"base is 0x1", [](auto& its) { its.base = 1; }},
      {"base is 0x7ffffffff000", [](auto& its) { its.base = 0x7fff'ffff'f000; }},
      {"base is 0xfffffffffffff000", [](auto& its) { its.base = kMost - 4095; }},
      {"", [](auto& its) { its.base += 1 << 20; }},
      {"engine is 99", [](auto& its) { its.engine = static_cast<EngineKind>(99); }},
      {"engine is -1", [](auto& its) { its.engine = static_cast<EngineKind>(-1); }},
      {"", [](auto& its) { its.engine = EngineKind::kSegv; }},
      {"cache_bytes is 1", [](auto& its) { its.cache_bytes = 1; }},
      {"cache_bytes is 8191", [](auto& its) { its.cache_bytes = 8191; }},
      {"", [](auto& its) { its.cache_bytes = 8192; }},
      {"", [](auto& its) { its.cache_bytes = kMost; }},
      {"home_bytes is 1", [](auto& its) { its.home_bytes = 1; }},
      {"", [](auto& its) { its.home_bytes = 8192; }},
      {"", [](auto& its) { its.home_bytes = kMost; }},
      {"handlers is empty at 1: it is functions",
       [](auto& its) {
         its.handlers = {[](llcl::Message&) {}, nullptr};
       }},
      {"handlers.size() is 65531: it is 0 to 65530",
       [](auto& its) { its.handlers.assign(65531, [](llcl::Message&) {}); }},
      {"", [](auto& its) { its.handlers.assign(65530, [](llcl::Message&) {}); }},
      {"with userfaultfd-server",
       [](auto& its) {
         its.engine = EngineKind::kServer;
         its.waiter = [] { return false; };
       }},
      {"", [](auto& its) { its.waiter = [] { return false; }; }},
      {"threads is -1", [](auto& its) { its.threads = -1; }},
      {"threads is -2147483648", [](auto& its) { its.threads = kIntMin; }},
      {"threads is 2147483647", [](auto& its) { its.threads = kIntMax; }},
      {"", [](auto& its) { its.threads = 4'194'304; }},
      {"patience in milliseconds is 0", [](auto& its) { its.patience = 0ms; }},
      {"patience in milliseconds is -5", [](auto& its) { its.patience = -5ms; }},
      {"", [](auto& its) { its.patience = std::chrono::milliseconds::max(); }},
      {"", [](auto& its) { its.finds_races = true; }},
  };
  for (const Case<SpaceOptions>& one : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &one - kCases << ": " << one.refused);
    SpaceOptions options;
    one.set(options);
    llcl::SimFabric fabric({.ranks = 1});
    if (*one.refused == '\0') {
      ExpectItWorks(fabric, options);
      continue;
    }
    const auto space = Space::Make(llcl::MakeSimConduit(fabric, llcl::Rank{0}), options);
    EXPECT_EQ(space.status().code(), absl::StatusCode::kInvalidArgument) << space.status();
    EXPECT_THAT(std::string(space.status().message()), testing::StartsWith(one.refused));
  }
}

namespace cluster {

using sim::Cluster, sim::Machine, sim::Shape;

int Next(int node, PageNumber) { return node == 0 ? 0 : node - 1; }

void ExpectItWorks(const Shape& shape, const Machine& machine) {
  Cluster cluster(shape, machine, Next);
  cluster.Touch([&](int, int) { return PageRange::Of(0, shape.pages > 0 ? 1u : 0u); });
  cluster.BarrierThatDrops();
  EXPECT_GE(cluster.times(0).total(), 0);
}

void ExpectItEnds(const char* sentence, const Shape& shape, const Machine& machine) {
  EXPECT_DEATH(Cluster(shape, machine, Next), HasSubstr(std::string("dsm: ") + sentence));
}

TEST(Options, OfASimulatedMachineAtTheirExtremes) {
  const Case<Machine> kCases[] = {
      {"", [](auto&) {}},
      {"threads is 0", [](auto& its) { its.threads = 0; }},
      {"threads is -1", [](auto& its) { its.threads = -1; }},
      {"threads is 2147483647", [](auto& its) { its.threads = kIntMax; }},
      {"", [](auto& its) { its.threads = 65'536; }},
      {"fault is -1", [](auto& its) { its.fault = -1; }},
      {"fault is nan", [](auto& its) { its.fault = kNaN; }},
      {"", [](auto& its) { its.fault = 0; }},
      {"map_page is inf", [](auto& its) { its.map_page = kInfinity; }},
      {"map_page is -1", [](auto& its) { its.map_page = -1; }},
      {"drop_page is -1", [](auto& its) { its.drop_page = -1; }},
      {"", [](auto& its) { its.map_page = its.drop_page = 0; }},
      {"copy_bytes_per_second is 0", [](auto& its) { its.copy_bytes_per_second = 0; }},
      {"copy_bytes_per_second is nan", [](auto& its) { its.copy_bytes_per_second = kNaN; }},
      {"", [](auto& its) { its.copy_bytes_per_second = kInfinity; }},
      {"latency is -1", [](auto& its) { its.latency = -1; }},
      {"latency is inf", [](auto& its) { its.latency = kInfinity; }},
      {"", [](auto& its) { its.latency = 0; }},
      {"link_bytes_per_second is -5", [](auto& its) { its.link_bytes_per_second = -5; }},
      {"link_bytes_per_second is 0", [](auto& its) { its.link_bytes_per_second = 0; }},
      {"", [](auto& its) { its.link_bytes_per_second = kInfinity; }},
      {"software is nan", [](auto& its) { its.software = kNaN; }},
      {"software is -1", [](auto& its) { its.software = -1; }},
      {"", [](auto& its) { its.software = 0; }},
  };
  for (const Case<Machine>& one : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &one - kCases << ": " << one.refused);
    Machine machine;
    one.set(machine);
    if (*one.refused == '\0') {
      ExpectItWorks({.pages = 4}, machine);
    } else {
      ExpectItEnds(one.refused, {.pages = 4}, machine);
    }
  }
}

TEST(Options, OfAClustersShapeAtTheirExtremes) {
  const Case<Shape> kCases[] = {
      {"", [](auto&) {}},
      {"nodes is 0", [](auto& its) { its.nodes = 0; }},
      {"nodes is -1", [](auto& its) { its.nodes = -1; }},
      {"nodes is 2147483647", [](auto& its) { its.nodes = kIntMax; }},
      {"", [](auto& its) { its.nodes = 1; }},
      {"pages is 18446744073709551615", [](auto& its) { its.pages = kMost; }},
      {"", [](auto& its) { its.pages = 0; }},
      {"page_bytes is 0", [](auto& its) { its.page_bytes = 0; }},
      {"page_bytes is 4097", [](auto& its) { its.page_bytes = 4097; }},
      {"page_bytes is 18446744073709547520", [](auto& its) { its.page_bytes = kMost - 4095; }},
      {"", [](auto& its) { its.page_bytes = 4096; }},
  };
  for (const Case<Shape>& one : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &one - kCases << ": " << one.refused);
    Shape shape = {.pages = 4};
    one.set(shape);
    if (*one.refused == '\0') {
      ExpectItWorks(shape, {});
    } else {
      ExpectItEnds(one.refused, shape, {});
    }
  }
}

}  // namespace cluster
}  // namespace
}  // namespace dsm
