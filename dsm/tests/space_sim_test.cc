// Programs without races against one memory, over a network that delays operations and lets them
// overtake each other: ranks are threads of this process, each with its own view.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dsm/mutex.h"
#include "dsm/space.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace dsm {
namespace {

struct Parameters {
  EngineKind engine = EngineKind::kSegv;
  std::uint64_t cache_pages = 0;
  std::uint32_t seed = 1;
  int ranks = 3;
};

// Runs `program` on each rank; on an engine that there is. `handlers`: of the program, by rank.
void RunRanks(
    const Parameters& parameters, const std::function<void(Space&)>& program,
    const std::function<std::vector<llcl::Handler>(int)>& handlers = [](int) {
      return std::vector<llcl::Handler>();
    }) {
  llcl::SimFabric fabric({.ranks = parameters.ranks, .seed = parameters.seed, .jitter = 0.95});
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < parameters.ranks; ++rank) {
    ranks.emplace_back([&, rank] {
      SpaceOptions options;
      options.bytes = std::uint64_t{1} << 30;
      options.base += static_cast<std::uintptr_t>(rank) << 36;
      options.engine = parameters.engine;
      options.handlers = handlers(rank);
      options.cache_bytes = parameters.cache_pages * options.page_bytes;
      auto space = Space::Make(llcl::MakeSimConduit(fabric, llcl::Rank{rank}), options);
      ASSERT_TRUE(space.ok()) << space.status();
      program(**space);
      EXPECT_EQ((*space)->Barrier(Consistency::kKeep), absl::OkStatus());
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

bool Has(EngineKind engine) {
  alignas(4096) static std::byte memory[4096];
  return engine == EngineKind::kSegv || MakeEngine(engine, memory).ok();
}

void ForEachCase(const std::function<void(const Parameters&)>& test) {
  for (const EngineKind engine : {EngineKind::kSegv, EngineKind::kUserfaultfd}) {
    if (!Has(engine)) {
      std::printf("SKIPPED: there is no %s here\n", NameOf(engine).c_str());
      continue;
    }
    for (const std::uint64_t cache_pages : {2u, 0u, 5u}) {
      for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
        // An emulated machine takes some ten seconds for each.
        if (std::getenv("TOPO_GUEST") != nullptr && (cache_pages != 2 || seed > 1)) continue;
        SCOPED_TRACE(NameOf(engine) + ", cache of " + std::to_string(cache_pages) + ", seed " +
                     std::to_string(seed));
        test({engine, cache_pages, seed, 2 + static_cast<int>(seed % 3)});
      }
    }
  }
}

std::span<std::uint64_t> Words(Space& space, std::uint64_t count, const Mapping& mapping) {
  const auto memory = space.Allocate({{count}, 8}, mapping);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return {reinterpret_cast<std::uint64_t*>(memory->data()), count};
}

// Phases: each word is written by one rank, or by none; then all look. Between phases there is
// a flush, and what nobody wrote stays where it is.
TEST(SpaceOnASlowNetwork, DoesAsOneMemoryWould) {
  ForEachCase([](const Parameters& parameters) {
    RunRanks(parameters, [&](Space& space) {
      const auto ranks = static_cast<std::uint64_t>(space.ranks());
      constexpr std::uint64_t kCount = 12 * 512;
      const Mapping mappings[] = {Block{.count = space.ranks()},
                                  Cyclic{.pages = 1, .count = space.ranks()}, OnRank{0}};
      const auto words = Words(space, kCount, mappings[parameters.seed % 3]);
      std::vector<std::uint64_t> oracle(kCount);
      std::mt19937 random(parameters.seed);
      for (int phase = 0; phase < 8; ++phase) {
        // Often pages that nobody writes, and pages that one rank writes, or all.
        const std::uint64_t first = random() % kCount;
        const std::uint64_t step = 1 + random() % (phase % 2 == 0 ? 40 : 900);
        const std::uint64_t shift = random();
        for (std::uint64_t i = first; i < kCount; i += step) {
          const std::uint64_t value = random();
          oracle[i] = value;
          if ((i / 64 + shift) % ranks == static_cast<std::uint64_t>(space.rank())) {
            words[i] = value;
          }
        }
        ASSERT_EQ(space.Barrier(Consistency::kFlush), absl::OkStatus());
        std::mt19937 own(parameters.seed * 1000 +
                         static_cast<std::uint32_t>(phase * 10 + space.rank()));
        for (int look = 0; look < 100; ++look) {
          const std::uint64_t i = own() % kCount;
          ASSERT_EQ(words[i], oracle[i]) << "word " << i << " in phase " << phase;
        }
        ASSERT_EQ(space.Barrier(Consistency::kKeep), absl::OkStatus());
      }
      if (parameters.cache_pages > 0) {
        EXPECT_LE(space.counts().pages_in_cache, parameters.cache_pages);
      }
    });
  });
}

// The litmus tests of a memory whose locks and barriers order what is written: two words on two
// homes, in all placements.
TEST(SpaceOnASlowNetwork, AReaderThatSeesTheFlagSeesTheMessage) {
  ForEachCase([](const Parameters& parameters) {
    RunRanks(parameters, [&](Space& space) {
      const int last = space.ranks() - 1;
      for (const auto& [home_of_flag, home_of_message] :
           {std::pair(0, 0), std::pair(0, last), std::pair(last, 0), std::pair(last, last)}) {
        std::uint64_t& flag = Words(space, 1, OnRank{home_of_flag})[0];
        std::uint64_t& message = Words(space, 1, OnRank{home_of_message})[0];
        auto mutex = Mutex::Make(space, last);
        ASSERT_TRUE(mutex.ok()) << mutex.status();
        for (std::uint64_t round = 1; round <= 3; ++round) {
          bool has_seen = false;
          while (!has_seen) {
            ASSERT_EQ(mutex->Lock().status(), absl::OkStatus());
            if (space.rank() == 0 && flag < round) {
              message = 100 * round;
              flag = round;
            }
            has_seen = flag == round;
            if (has_seen) {
              EXPECT_EQ(message, 100 * round);
            }
            ASSERT_EQ(mutex->Unlock(), absl::OkStatus());
          }
          ASSERT_EQ(space.Barrier(Consistency::kKeep), absl::OkStatus());
        }
      }
    });
  });
}

TEST(SpaceOnASlowNetwork, BothIncrementsOfALockedCounterCount) {
  ForEachCase([](const Parameters& parameters) {
    RunRanks(parameters, [&](Space& space) {
      for (int home = 0; home < space.ranks(); ++home) {
        std::uint64_t& counter = Words(space, 1, OnRank{home})[0];
        auto mutex = Mutex::Make(space, 0);
        ASSERT_TRUE(mutex.ok()) << mutex.status();
        for (int i = 0; i < 4; ++i) {
          ASSERT_EQ(mutex->Lock().status(), absl::OkStatus());
          ++counter;
          ASSERT_EQ(mutex->Unlock(), absl::OkStatus());
        }
        ASSERT_EQ(space.Barrier(Consistency::kFlush), absl::OkStatus());
        EXPECT_EQ(counter, 4u * static_cast<std::uint64_t>(space.ranks()));
      }
    });
  });
}

// Messages are delayed, and overtake each other and the space's own: what a handler has written at
// home is seen behind a barrier that its rank begins when it has counted the messages.
TEST(SpaceOnASlowNetwork, AHandlerOfTheProgramWritesAtHome) {
  ForEachCase([](const Parameters& parameters) {
    // By rank, as ranks are threads here.
    struct Rank {
      std::atomic<std::uint64_t*> word{nullptr};
      std::atomic<int> messages{0};
    };
    std::vector<Rank> ranks(static_cast<std::size_t>(parameters.ranks));
    const auto handlers = [&](int rank) {
      Rank& its = ranks[static_cast<std::size_t>(rank)];
      return std::vector<llcl::Handler>{[&its](llcl::Message& message) {
        std::atomic_ref(*its.word.load())
            .fetch_add(1 + static_cast<unsigned>(ToInt(message.from())));
        its.messages.fetch_add(1);
      }};
    };
    RunRanks(
        parameters,
        [&](Space& space) {
          Rank& mine = ranks[static_cast<std::size_t>(space.rank())];
          const auto words = Words(space, 512 * static_cast<std::uint64_t>(space.ranks()),
                                   Block{.count = space.ranks()});
          const auto word_of = [&](int rank) { return 512 * static_cast<std::uint64_t>(rank); };
          mine.word = &words[word_of(space.rank())];
          ASSERT_EQ(space.Barrier(Consistency::kFlush), absl::OkStatus());
          std::uint64_t sum = 0;
          for (int rank = 0; rank < space.ranks(); ++rank) sum += 1 + static_cast<unsigned>(rank);
          for (std::uint64_t round = 1; round <= 4; ++round) {
            for (int to = 0; to < space.ranks(); ++to) {
              ASSERT_EQ(space.endpoint().KeepTrying([&] {
                return space.endpoint().TrySend(
                    {.to = llcl::Rank{to}, .handler = Space::HandlerOf(0)});
              }),
                        llcl::Posted::kPosted);
            }
            while (mine.messages < static_cast<int>(round) * space.ranks()) {
              if (!space.endpoint().TryAdvance()) std::this_thread::yield();
            }
            ASSERT_EQ(space.Barrier(Consistency::kFlush), absl::OkStatus());
            for (int rank = 0; rank < space.ranks(); ++rank) {
              ASSERT_EQ(words[word_of(rank)], round * sum);
            }
            ASSERT_EQ(space.Barrier(Consistency::kKeep), absl::OkStatus());
          }
        },
        handlers);
  });
}

// A rank alone that writes and meets itself.
bool WorksAlone(EngineKind engine) {
  llcl::SimFabric fabric({.ranks = 1});
  SpaceOptions options;
  options.engine = engine;
  const auto space = Space::Make(llcl::MakeSimConduit(fabric, llcl::Rank{0}), options);
  if (!space.ok()) return false;
  const auto memory = (*space)->Allocate({{100}, 1}, OnRank{0});
  if (!memory.ok()) return false;
  memory->front() = std::byte{7};
  return (*space)->Barrier(Consistency::kFlush).ok() && memory->front() == std::byte{7};
}

TEST(SpaceInAForkedChild, WorksWhereTheParentHadOne) {
  for (const EngineKind engine : {EngineKind::kSegv, EngineKind::kUserfaultfd}) {
    if (!Has(engine)) continue;
    ASSERT_TRUE(WorksAlone(engine));
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(WorksAlone(engine) ? 7 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << NameOf(engine) << ": " << status;
  }
}

}  // namespace
}  // namespace dsm
