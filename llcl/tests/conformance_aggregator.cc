// Aggregators of records with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "llcl/aggregator.h"
#include "llcl/team.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class Aggregators : public Conformance {};

// A record of an odd size, with its own check.
struct Told {
  std::uint32_t from = 0, thread = 0, number = 0, epoch = 0;
  std::uint32_t check = 0;
  std::uint32_t Sum() const { return from * 31 + thread * 37 + number * 41 + epoch * 43; }
};

template <typename Record>
std::unique_ptr<Aggregator<Record>> Made(Member& member, Team& team,
                                         typename Aggregator<Record>::Handler handler,
                                         const AggregatorOptions& options) {
  auto made = Aggregator<Record>::Make(member.endpoint(), team, std::move(handler), options);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// Small buffers, so that all are full and many are under way.
std::vector<AggregatorOptions> Options() {
  return {{.bytes = 64}, {.bytes = 640, .routes = Routes::kGrid}, {.bytes = 8 << 10}};
}

TEST_P(Aggregators, CarryEachRecordOnceInEachEpoch) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    const auto ranks = static_cast<std::uint64_t>(member.size());
    constexpr std::uint32_t kMany = 300, kEpochs = 3;
    for (const AggregatorOptions& options : Options()) {
      // Written by handlers, which run one at a time; read between epochs.
      std::vector<std::uint32_t> seen(ranks * 4 * kMany);
      std::atomic<std::uint32_t> epoch{0};
      std::uint64_t wrong = 0;
      const auto records = Made<Told>(
          member, world,
          [&](std::span<const Told> told) {
            for (const Told& one : told) {
              if (one.check != one.Sum() || one.epoch != epoch.load()) ++wrong;
              ++seen[(one.from * 4 + one.thread) * kMany + one.number];
            }
          },
          options);
      for (std::uint32_t e = 0; e < kEpochs; ++e) {
        OnThreads([&](int thread) {
          Aggregator<Told>::Adder adder(*records);
          for (std::uint32_t number = 0; number < kMany; ++number) {
            for (int rank = 0; rank < member.size(); ++rank) {
              Told told = {static_cast<std::uint32_t>(member.rank()),
                           static_cast<std::uint32_t>(thread), number, e};
              told.check = told.Sum();
              ASSERT_EQ(number % 2 == 0 ? records->Add(rank, told) : adder.Add(rank, told),
                        Posted::kPosted);
            }
          }
        });
        EXPECT_EQ(Do(member, [&](Completion then) { return records->TryFinish(then); }),
                  Outcome::kDone)
            << records->failure();
        EXPECT_EQ(wrong, 0u);
        for (std::uint64_t i = 0; i < seen.size(); ++i) {
          const bool is_used = i / kMany % 4 < static_cast<std::uint64_t>(GetParam().threads);
          ASSERT_EQ(seen[i], is_used ? e + 1 : 0u) << i;
        }
        epoch = e + 1;
        // The handlers of the next epoch see its number.
        EXPECT_EQ(Do(member, [&](Completion then) { return world.TryBarrier(then); }),
                  Outcome::kDone);
      }
      EXPECT_EQ(records->counts().handled,
                kEpochs * kMany * ranks * static_cast<std::uint64_t>(GetParam().threads));
    }
    member.Barrier();
  });
}

// A rank that has ended an epoch goes on at once.
TEST_P(Aggregators, KeepRecordsOfTheNextEpoch) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    constexpr std::uint64_t kMany = 40, kEpochs = 20;
    std::atomic<std::uint64_t> count{0};
    const auto records = Made<std::uint64_t>(
        member, world, [&](std::span<const std::uint64_t> some) { count += some.size(); },
        {.bytes = 64});
    for (std::uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
      for (std::uint64_t i = 0; i < kMany; ++i) {
        EXPECT_EQ(records->Add(member.next(), i), Posted::kPosted);
      }
      EXPECT_EQ(Do(member, [&](Completion then) { return records->TryFinish(then); }),
                Outcome::kDone);
      // All of this epoch, and none or some of the next one.
      EXPECT_GE(count.load(), kMany * epoch);
      EXPECT_LE(count.load(), kMany * (epoch + 1));
    }
    EXPECT_EQ(count.load(), kMany * kEpochs);
    member.Barrier();
  });
}

// Each record makes records, down to none.
TEST_P(Aggregators, EndWorkThatMakesWork) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    struct Work {
      std::uint32_t depth = 0, place = 0;
    };
    constexpr std::uint32_t kDepth = 9;
    for (const AggregatorOptions& options : Options()) {
      std::atomic<std::uint64_t> count{0};
      std::atomic<Aggregator<Work>*> self{nullptr};
      const auto records = Made<Work>(
          member, world,
          [&](std::span<const Work> work) {
            for (const Work& one : work) {
              ++count;
              if (one.depth == kDepth) continue;
              for (std::uint32_t child = 0; child < 2; ++child) {
                const std::uint32_t place = one.place * 2 + child;
                const auto to = static_cast<int>(place % static_cast<std::uint32_t>(member.size()));
                EXPECT_EQ(self.load()->Add(to, {one.depth + 1, place}), Posted::kPosted);
              }
            }
          },
          options);
      self = records.get();
      member.Barrier();
      for (std::uint64_t round = 1; round <= 2; ++round) {
        if (member.rank() == 0) {
          EXPECT_EQ(records->Add(member.next(), {0, 1}), Posted::kPosted);
        }
        EXPECT_EQ(Do(member, [&](Completion then) { return records->TryQuiesce(then); }),
                  Outcome::kDone)
            << records->failure();
        std::uint64_t mine = count, all = 0;
        EXPECT_EQ(Do(member,
                     [&](Completion then) {
                       return world.TryAllreduce<std::uint64_t>(
                           std::span<const std::uint64_t>(&mine, 1), std::span(&all, 1),
                           AtomicOp::kAdd, then);
                     }),
                  Outcome::kDone);
        EXPECT_EQ(all, round * ((2u << kDepth) - 1));
      }
      member.Barrier();
    }
  });
}

TEST_P(Aggregators, TakeSeveralRecordsAtOnce) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    for (const AggregatorOptions& options : Options()) {
      std::uint64_t sum = 0, count = 0;
      const auto records = Made<std::uint64_t>(
          member, world,
          [&](std::span<const std::uint64_t> some) {
            count += some.size();
            sum = std::accumulate(some.begin(), some.end(), sum);
          },
          options);
      std::vector<std::uint64_t> many(1000);
      std::iota(many.begin(), many.end(), std::uint64_t{0});
      for (int rank = 0; rank < member.size(); ++rank) {
        EXPECT_EQ(records->AddAll(rank, many), Posted::kPosted);
        EXPECT_EQ(records->AddAll(rank, {}), Posted::kPosted);
      }
      EXPECT_EQ(records->Add(-1, 1), Posted::kBadRange);
      EXPECT_EQ(records->Add(member.size(), 1), Posted::kBadRange);
      EXPECT_EQ(Do(member, [&](Completion then) { return records->TryFinish(then); }),
                Outcome::kDone);
      EXPECT_EQ(count, 1000u * static_cast<std::uint64_t>(member.size()));
      EXPECT_EQ(sum, 499'500u * static_cast<std::uint64_t>(member.size()));
    }
    member.Barrier();
  });
}

TEST_P(Aggregators, OfTeamsAndManyAtOnce) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    std::vector<int> colors(static_cast<std::size_t>(member.size()));
    for (std::size_t rank = 0; rank < colors.size(); ++rank)
      colors[rank] = static_cast<int>(rank % 2);
    Team half = world.Split(colors);
    std::uint64_t of_half = 0, of_world = 0;
    const auto in_half =
        Made<int>(member, half, [&](std::span<const int> some) { of_half += some.size(); }, {});
    const auto in_world =
        Made<int>(member, world, [&](std::span<const int> some) { of_world += some.size(); }, {});
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(in_half->Add(i % half.size(), i), Posted::kPosted);
      EXPECT_EQ(in_world->Add(member.next(), i), Posted::kPosted);
    }
    Counter ended;
    EXPECT_EQ(in_half->TryFinish(ended.completion()), Posted::kPosted);
    EXPECT_EQ(in_world->TryQuiesce(ended.completion()), Posted::kPosted);
    member.endpoint().Wait(ended, 2);
    EXPECT_EQ(ended.failed(), 0u);
    EXPECT_EQ(of_world, 100u);
    const auto here = static_cast<std::uint64_t>(half.rank());
    const auto in = static_cast<std::uint64_t>(half.size());
    EXPECT_EQ(of_half, in * (100 / in + (here < 100 % in ? 1 : 0)));
    member.Barrier();
  });
}

// Each rank gets an outcome.
TEST_P(Aggregators, EndInTheMiddleOfAnEnd) {
  EndpointOptions options;
  options.timeout = std::chrono::milliseconds(500);
  Run(
      [&](Member& member) {
        Flag ended;
        {
          const auto records =
              Made<int>(member, member.endpoint().world(), [](std::span<const int>) {}, {});
          EXPECT_EQ(records->TryQuiesce(ended.completion()), Posted::kPosted);
        }
        const Outcome outcome = member.endpoint().Wait(ended);
        EXPECT_TRUE(outcome == Outcome::kDone || outcome == Outcome::kAborted ||
                    outcome == Outcome::kLate)
            << ToString(outcome);
        member.Barrier();
      },
      options);
}

// Without an end.
TEST_P(Aggregators, FlushSendsTheRecordsThatWait) {
  Run([&](Member& member) {
    std::atomic<std::uint64_t> count{0};
    const auto records = Made<int>(member, member.endpoint().world(),
                                   [&](std::span<const int> some) { count += some.size(); }, {});
    EXPECT_EQ(records->Add(member.next(), 1), Posted::kPosted);
    records->Flush();
    member.WaitFor(count, 1);
    EXPECT_EQ(Do(member, [&](Completion then) { return records->TryFinish(then); }),
              Outcome::kDone);
    member.Barrier();
  });
}

TEST_P(Aggregators, RefuseWhatCannotBe) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    const auto none = [](std::span<const std::uint64_t>) {};
    auto made = Aggregator<std::uint64_t>::Make(member.endpoint(), world, none, {.bytes = 7});
    EXPECT_EQ(made.status().message(), "bytes is 7: it is 16 to 1073741824");
    made = Aggregator<std::uint64_t>::Make(member.endpoint(), world, none,
                                           {.timeout = std::chrono::milliseconds(-1)});
    EXPECT_FALSE(made.ok());
    if (member.size() == 1) return;
    made = Aggregator<std::uint64_t>::Make(
        member.endpoint(), world, none,
        {.bytes = member.rank() == 1 ? std::size_t{128} : std::size_t{64}});
    EXPECT_EQ(made.status().message(), "rank 1 has buffers of so many bytes: 128, rank 0 has 64");
    // Only one rank's are impossible: all hear of it.
    made = Aggregator<std::uint64_t>::Make(member.endpoint(), world, none,
                                           {.bytes = member.rank() == 1 ? 7u : 64u});
    EXPECT_FALSE(made.ok());
    // Another number of records: the ranks still end the epoch.
    std::atomic<Aggregator<std::uint64_t>*> self{nullptr};
    std::atomic<bool> adds{false};
    const auto records = Made<std::uint64_t>(member, world,
                                             [&](std::span<const std::uint64_t> some) {
                                               if (adds) (void)self.load()->Add(0, some[0]);
                                             },
                                             {});
    self = records.get();
    // A handler that adds records while the ranks count them.
    adds = true;
    member.Barrier();
    if (member.rank() != 0) {
      EXPECT_EQ(records->Add(0, 1), Posted::kPosted);
    }
    member.Barrier();
    const Outcome outcome = Do(member, [&](Completion then) { return records->TryFinish(then); });
    if (member.rank() == 0) {
      EXPECT_EQ(outcome, Outcome::kRefused);
      EXPECT_EQ(records->failure(), "a record is added while TryFinish is under way");
      EXPECT_EQ(records->Add(0, 1), Posted::kClosing);
      EXPECT_EQ(Do(member, [&](Completion then) { return records->TryQuiesce(then); }),
                Outcome::kRefused);
    }
    adds = false;
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(All, Aggregators, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
