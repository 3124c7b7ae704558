// Requests that describe another rank's region wrongly, while the rank lives and others use
// it, with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class ForgedRegions : public Conformance {};

struct Forged {
  std::string what;
  RemoteAddress there;
};

// Each is wrong in one field, and lies inside of the region that it describes.
std::vector<Forged> ForgedOf(const RemoteRegion& good) {
  std::vector<Forged> all;
  const auto add = [&](const std::string& what, auto change, std::uint64_t offset = 0) {
    RemoteRegion region = good;
    change(region);
    all.push_back({what, {region, offset}});
  };
  add("key", [](RemoteRegion& region) {
    for (std::uint64_t& key : region.keys) ++key;
  });
  add("high bit of the key", [](RemoteRegion& region) {
    for (std::uint64_t& key : region.keys) key ^= std::uint64_t{1} << 63;
  });
  add(
      "size", [](RemoteRegion& region) { region.bytes *= 2; }, good.bytes);
  add(
      "size of the address space", [](RemoteRegion& region) { region.bytes = ~std::uint64_t{0}; },
      std::uint64_t{1} << 40);
  add("start after it", [](RemoteRegion& region) { region.start += 8; });
  add("start before it", [](RemoteRegion& region) { region.start -= 8; });
  add("next slot", [](RemoteRegion& region) { ++region.id.slot; });
  add("slot of no table", [](RemoteRegion& region) { region.id.slot = ~std::uint32_t{0}; });
  add("generation that comes", [](RemoteRegion& region) { region.id.generation += 2; });
  add("generation that went", [](RemoteRegion& region) { region.id.generation -= 2; });
  add("generation of nothing", [](RemoteRegion& region) { ++region.id.generation; });
  add(
      "misalignment", [](RemoteRegion& region) { region.misalignment ^= 4; }, 4);
  return all;
}

TEST_P(ForgedRegions, AreRefusedAndDisturbNobody) {
  Run([&](Member& member) {
    constexpr int kRounds = 3, kEach = 100;
    Endpoint& endpoint = member.endpoint();
    const auto threads = static_cast<std::size_t>(GetParam().threads);
    const Region mine = member.Allocate(8 + threads * static_cast<std::size_t>(member.size()) * 8);
    const RemoteRegion there = member.Exchange(mine)[static_cast<std::size_t>(member.next())];
    std::atomic<bool> valid_go_on{true};
    std::atomic<int> refused{0};
    std::thread forger([&] {
      std::vector<std::uint64_t> words(1, 7);
      const Region local = member.Register(words);
      const LocalAddress here{local.local()};
      const auto is_refused = [&](const Forged& forged, const char* kind, auto request) {
        Flag done;
        const Posted posted = endpoint.KeepTrying([&] { return request(done.completion()); });
        if (posted == Posted::kPosted) {
          EXPECT_EQ(endpoint.Wait(done), Outcome::kRefused) << kind << ": " << forged.what;
        } else {
          EXPECT_EQ(posted, Posted::kBadRange) << kind << ": " << forged.what;
        }
        ++refused;
      };
      for (int round = 0; round < kRounds; ++round) {
        for (const Forged& forged : ForgedOf(there)) {
          if (forged.what != "misalignment") {
            is_refused(forged, "read", [&](Completion then) {
              return endpoint.TryRead({forged.there, here, 8, then});
            });
            is_refused(forged, "write", [&](Completion then) {
              return endpoint.TryWrite({here, forged.there, 8, then});
            });
          }
          is_refused(forged, "atomic", [&](Completion then) {
            return endpoint.TryAtomic<std::uint64_t>(
                {.target = forged.there, .operand = 1, .then = then});
          });
        }
      }
      EXPECT_EQ(words[0], 7u);
      valid_go_on = false;
    });
    // At least so many, and as long as there is something that could disturb them.
    std::atomic<std::uint64_t> added{0};
    OnThreads([&](int thread) {
      std::vector<std::uint64_t> words(2);
      const Region local = member.Register(words);
      const RemoteAddress own =
          RemoteAddress{there} + 8 +
          (static_cast<std::size_t>(member.rank()) * threads + static_cast<std::size_t>(thread)) *
              8;
      for (std::uint64_t i = 1; i <= kEach || valid_go_on; ++i) {
        words[0] = i;
        Flag written, read, counted;
        member.Post([&] {
          return endpoint.TryWrite({{local.local()}, own, 8, written.completion()});
        });
        ASSERT_EQ(endpoint.Wait(written), Outcome::kDone);
        member.Post([&] {
          return endpoint.TryRead({own, LocalAddress{local.local()} + 8, 8, read.completion()});
        });
        ASSERT_EQ(endpoint.Wait(read), Outcome::kDone);
        ASSERT_EQ(words[1], i);
        member.Post([&] {
          return endpoint.TryAtomic<std::uint64_t>(
              {.target = {there}, .operand = 1, .then = counted.completion()});
        });
        ASSERT_EQ(endpoint.Wait(counted), Outcome::kDone);
        ++added;
      }
    });
    forger.join();
    EXPECT_EQ(refused, kRounds * (12 * 3 - 2));
    for (int rank = 0; rank < member.size(); ++rank) EXPECT_FALSE(endpoint.IsDown(Rank{rank}));
    // All that were added, and nothing else.
    const Region counts = member.Allocate(static_cast<std::size_t>(member.size()) * 8);
    const auto all = member.Exchange(counts);
    std::vector<std::uint64_t> mine_added(1, added);
    const Region local = member.Register(mine_added);
    Flag written;
    member.Post([&] {
      return endpoint.TryWrite({{local.local()},
                                {all[static_cast<std::size_t>(member.next())]},
                                8,
                                written.completion()});
    });
    EXPECT_EQ(endpoint.Wait(written), Outcome::kDone);
    member.Barrier();
    EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(mine.local().start),
              *reinterpret_cast<const std::uint64_t*>(counts.local().start));
    member.Barrier();
  });
}

TEST_P(ForgedRegions, OnceItIsKnownARegionCostsNoMoreCommands) {
  Run([&](Member& member) {
    Endpoint& endpoint = member.endpoint();
    std::vector<std::uint64_t> words(1);
    const Region mine = member.Allocate(8), local = member.Register(words);
    const RemoteAddress there{member.Exchange(mine)[static_cast<std::size_t>(member.next())]};
    const auto read = [&] {
      Flag done;
      member.Post([&] { return endpoint.TryRead({there, {local.local()}, 8, done.completion()}); });
      EXPECT_EQ(endpoint.Wait(done), Outcome::kDone);
    };
    const auto commands = [&] {
      const ExecutorCounts counts = endpoint.counts();
      return counts.posted_by_callers + counts.posted_from_ring;
    };
    read();
    const std::uint64_t before = commands();
    for (int i = 0; i < 10; ++i) read();
    EXPECT_LE(commands() - before, 10u);
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Operations, ForgedRegions, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
