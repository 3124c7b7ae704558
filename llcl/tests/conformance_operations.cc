// Reads, writes and atomics with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/shared_memory.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

std::span<std::uint64_t> Words(const Region& region) {
  return {reinterpret_cast<std::uint64_t*>(region.local().start), region.local().bytes / 8};
}

TEST_P(Conformance, AReadBringsWhatIsThere) {
  Run([&](Member& member) {
    std::vector<std::uint64_t> got(1000);
    const Region from = member.Allocate(8000), to = member.Register(got);
    const auto mine = Words(from);
    std::iota(mine.begin(), mine.end(), static_cast<std::uint64_t>(member.rank()) << 32);
    const auto all = member.Exchange(from);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    OnThreads([&](int thread) {
      for (std::size_t i = static_cast<std::size_t>(thread); i < 1000;
           i += static_cast<std::size_t>(GetParam().threads)) {
        Flag done;
        member.Post([&] {
          return member.endpoint().TryRead({.from = there + i * 8,
                                            .to = LocalAddress{to.local()} + i * 8,
                                            .bytes = 8,
                                            .then = done.completion()});
        });
        EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDone);
      }
    });
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(got[i], (static_cast<std::uint64_t>(member.next()) << 32) + i);
    }
    member.Barrier();
  });
}

TEST_P(Conformance, AWriteIsThereWhenItsCompletionIsCalled) {
  Run([&](Member& member) {
    const auto threads = static_cast<std::size_t>(GetParam().threads);
    const Region target = member.Allocate(threads * 100'000);
    const auto all = member.Exchange(target);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    OnThreads([&](int thread) {
      const std::size_t begin = static_cast<std::size_t>(thread) * 100'000;
      std::vector<std::byte> out(100'000), back(100'000);
      const Region from = member.Register(out), to = member.Register(back);
      for (const std::size_t bytes : {1u, 7u, 64u, 4096u, 99'999u}) {
        for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 7 + bytes);
        Flag written, read;
        member.Post([&] {
          return member.endpoint().TryWrite({.from = {from.local()},
                                             .to = there + begin,
                                             .bytes = bytes,
                                             .then = written.completion()});
        });
        EXPECT_EQ(member.endpoint().Wait(written), Outcome::kDone);
        member.Post([&] {
          return member.endpoint().TryRead({.from = there + begin,
                                            .to = {to.local()},
                                            .bytes = bytes,
                                            .then = read.completion()});
        });
        EXPECT_EQ(member.endpoint().Wait(read), Outcome::kDone);
        EXPECT_EQ(std::memcmp(out.data(), back.data(), bytes), 0) << bytes << " bytes";
      }
    });
    member.Barrier();
  });
}

TEST_P(Conformance, EachAcceptedOperationCompletesOnce) {
  Run([&](Member& member) {
    constexpr std::size_t kEach = 2'000;
    // Each operation has a place of its own: they end in any order, at once.
    const auto threads = static_cast<std::size_t>(GetParam().threads);
    std::vector<std::uint64_t> got((kEach + 1) * threads);
    const Region mine = member.Allocate(8), to = member.Register(got);
    const auto all = member.Exchange(mine);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    std::vector<std::atomic<int>> completions(kEach * threads);
    Counter counter;
    OnThreads([&](int thread) {
      for (std::size_t i = 0; i < kEach; ++i) {
        const std::size_t number = static_cast<std::size_t>(thread) * kEach + i;
        std::atomic<int>& one = completions[number];
        const Notify notify = i % 2 == 0 ? Notify::kAlways : Notify::kUnlessDone;
        const Posted posted = member.endpoint().KeepTrying([&] {
          return member.endpoint().TryRead(
              {.from = there,
               .to = LocalAddress{to.local()} + number * 8,
               .bytes = 8,
               .then = {[](void* data, Outcome) { ++*static_cast<std::atomic<int>*>(data); }, &one},
               .notify = notify});
        });
        if (posted == Posted::kDone && notify == Notify::kUnlessDone) {
          ++one;
        } else {
          ASSERT_EQ(posted, Posted::kPosted);
        }
      }
      member.Post([&] {
        return member.endpoint().TryRead(
            {.from = there,
             .to = LocalAddress{to.local()} +
                   (kEach * threads + static_cast<std::size_t>(thread)) * 8,
             .bytes = 8,
             .then = counter.completion()});
      });
    });
    member.endpoint().Wait(counter, static_cast<std::uint64_t>(GetParam().threads));
    const auto missing = [&] {
      return std::count_if(completions.begin(), completions.end(),
                           [](const auto& one) { return one == 0; });
    };
    while (missing() > 0) {
      if (!member.endpoint().TryAdvance()) std::this_thread::yield();
    }
    for (const auto& one : completions) EXPECT_EQ(one, 1);
    member.Barrier();
  });
}

TEST_P(Conformance, AtomicsOfAllRanksAndThreadsLoseNothing) {
  Run([&](Member& member) {
    constexpr int kEach = 200;
    const Region mine = member.Allocate(24);
    const auto all = member.Exchange(mine);
    const RemoteAddress root{all[0]};
    std::atomic<std::uint64_t> seen{0};
    OnThreads([&](int) {
      std::vector<std::uint64_t> old(1);
      const Region to = member.Register(old);
      for (int i = 0; i < kEach; ++i) {
        Flag fetched, added;
        member.Post([&] {
          return member.endpoint().TryAtomic<std::uint64_t>({.target = root,
                                                             .operand = 1,
                                                             .fetch_to = LocalAddress{to.local()},
                                                             .then = fetched.completion()});
        });
        member.Post([&] {
          return member.endpoint().TryAtomic<double>(
              {.target = root + 8, .operand = 0.5, .then = added.completion()});
        });
        EXPECT_EQ(member.endpoint().Wait(fetched), Outcome::kDone);
        EXPECT_EQ(member.endpoint().Wait(added), Outcome::kDone);
        seen += old[0];
      }
    });
    member.Barrier();
    const auto total = static_cast<std::uint64_t>(kEach * GetParam().ranks * GetParam().threads);
    if (member.rank() == 0) {
      const auto words = Words(mine);
      EXPECT_EQ(words[0], total);
      double sum = 0;
      std::memcpy(&sum, &words[1], sizeof sum);
      EXPECT_EQ(sum, 0.5 * static_cast<double>(total));
    }
    EXPECT_LE(seen.load(), total * total);
    member.Barrier();
  });
}

TEST_P(Conformance, AnAddressOutsideItsRegionIsRefusedAtOnce) {
  Run([&](Member& member) {
    std::vector<std::uint64_t> got(8);
    const Region mine = member.Allocate(64), to = member.Register(got);
    const auto all = member.Exchange(mine);
    const RemoteRegion& region = all[static_cast<std::size_t>(member.next())];
    Endpoint& endpoint = member.endpoint();
    Counter counter;
    const auto read = [&](RemoteAddress from, LocalAddress here, std::uint64_t bytes) {
      return endpoint.TryRead(
          {.from = from, .to = here, .bytes = bytes, .then = counter.completion()});
    };
    const LocalAddress here{to.local()};
    EXPECT_EQ(read({region, 0}, here, 65), Posted::kBadRange);
    EXPECT_EQ(read({region, 57}, here, 8), Posted::kBadRange);
    EXPECT_EQ(read({region, ~std::uint64_t{0}}, here, 8), Posted::kBadRange);
    EXPECT_EQ(read({region, 0}, here + 60, 8), Posted::kBadRange);
    EXPECT_EQ(read({RemoteRegion{}, 0}, here, 8), Posted::kBadRange);
    RemoteRegion nobody = region;
    nobody.owner = Rank{member.size()};
    EXPECT_EQ(read({nobody, 0}, here, 8), Posted::kBadRange);
    nobody.owner = Rank{-1};
    EXPECT_EQ(read({nobody, 0}, here, 8), Posted::kBadRange);
    EXPECT_EQ(read({region, 0}, LocalAddress{}, 8), Posted::kBadRange);
    EXPECT_EQ(endpoint.TryAtomic<std::uint64_t>({.target = {region, 4}}), Posted::kBadRange)
        << "not aligned";
    EXPECT_EQ(endpoint.TryAtomic<double>({.target = {region, 0}, .op = AtomicOp::kXor}),
              Posted::kBadRange)
        << "no such operation";
    LocalAddress freed;
    {
      std::vector<std::uint64_t> gone(8);
      const Region region_of_gone = member.Register(gone);
      freed = {region_of_gone.local()};
    }
    EXPECT_EQ(read({region, 0}, freed, 8), Posted::kBadRange);
    EXPECT_EQ(counter.ended(), 0u) << "a refused operation does not complete";
    member.Barrier();
  });
}

TEST_P(Conformance, ARegionThatIsGoneThereRefuses) {
  Run([&](Member& member) {
    std::vector<std::uint64_t> got(8);
    auto mine = std::make_unique<Region>(member.Allocate(64));
    const Region to = member.Register(got);
    const auto all = member.Exchange(*mine);
    member.Barrier();
    mine.reset();
    member.Barrier();
    Flag done;
    member.Post([&] {
      return member.endpoint().TryRead({.from = {all[static_cast<std::size_t>(member.next())]},
                                        .to = {to.local()},
                                        .bytes = 8,
                                        .then = done.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(done), Outcome::kRefused);
    member.Barrier();
  });
}

// Each rank changes its own part of all ranks' memory, and knows what must be there.
TEST_P(Conformance, RandomOperationsDoAsAModelSays) {
  Run([&](Member& member) {
    constexpr std::size_t kWords = 64;
    const auto parts = static_cast<std::size_t>(member.size() * GetParam().threads);
    const Region mine = member.Allocate(kWords * parts * 8);
    const auto all = member.Exchange(mine);
    OnThreads([&](int thread) {
      const auto part =
          static_cast<std::size_t>(member.rank() * GetParam().threads + thread) * kWords * 8;
      std::mt19937_64 random(static_cast<std::uint64_t>(part + 1));
      std::vector<std::vector<std::uint64_t>> model(static_cast<std::size_t>(member.size()),
                                                    std::vector<std::uint64_t>(kWords));
      std::vector<std::uint64_t> buffer(kWords);
      const Region local = member.Register(buffer);
      for (int i = 0; i < 300; ++i) {
        const std::size_t peer = random() % all.size();
        const std::size_t first = random() % kWords;
        const std::size_t words = 1 + random() % (kWords - first);
        const RemoteAddress there = RemoteAddress{all[peer]} + part + first * 8;
        Flag done;
        switch (random() % 3) {
          case 0:
            for (std::size_t j = 0; j < words; ++j) buffer[j] = model[peer][first + j] = random();
            member.Post([&] {
              return member.endpoint().TryWrite({.from = {local.local()},
                                                 .to = there,
                                                 .bytes = words * 8,
                                                 .then = done.completion()});
            });
            EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDone);
            break;
          case 1:
            member.Post([&] {
              return member.endpoint().TryRead({.from = there,
                                                .to = {local.local()},
                                                .bytes = words * 8,
                                                .then = done.completion()});
            });
            EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDone);
            for (std::size_t j = 0; j < words; ++j) EXPECT_EQ(buffer[j], model[peer][first + j]);
            break;
          default: {
            const std::uint64_t operand = random();
            const auto op = static_cast<AtomicOp>(random() % 8);
            const std::uint64_t expected = random() % 2 ? model[peer][first] : operand;
            const std::uint64_t before = model[peer][first];
            Apply(AtomicType::kU64, op, &model[peer][first], operand, expected);
            member.Post([&] {
              return member.endpoint().TryAtomic<std::uint64_t>(
                  {.target = there,
                   .op = op,
                   .operand = operand,
                   .expected = expected,
                   .fetch_to = LocalAddress{local.local()},
                   .then = done.completion()});
            });
            EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDone);
            EXPECT_EQ(buffer[0], before);
          }
        }
      }
    });
    member.Barrier();
  });
}

TEST_P(Conformance, AfterAnAbortNothingIsDone) {
  Run([&](Member& member) {
    const Region word = member.Allocate(8);
    const auto all = member.Exchange(word);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    Flag before;  // So that the region is mapped, where regions are.
    member.Post([&] {
      return member.endpoint().TryAtomic<std::uint64_t>(
          {.target = there, .operand = 1, .then = before.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(before), Outcome::kDone);
    member.Barrier();
    member.endpoint().Abort();
    EXPECT_EQ(member.endpoint().TryAtomic<std::uint64_t>({.target = there, .operand = 1}),
              Posted::kClosing);
    member.Barrier();
    EXPECT_EQ(Words(word)[0], 1u);
  });
}

TEST_P(Conformance, AnEndpointThatIsAbortedInTheMiddleOfALargeReadEnds) {
  constexpr std::uint64_t kBytes = 8 << 20;
  // By rank. The network's until the endpoints are gone.
  std::vector<std::vector<std::byte>> memory(static_cast<std::size_t>(GetParam().ranks),
                                             std::vector<std::byte>(kBytes));
  for (const int steps : {1, 10, 100, 1000}) {
    Run([&](Member& member) {
      const Region there = member.Allocate(kBytes);
      const auto all = member.Exchange(there);
      const Region here = member.Register(memory[static_cast<std::size_t>(member.rank())]);
      if (member.rank() == 0) {
        ReadParams read = {.from = {all[static_cast<std::size_t>(member.next())]},
                           .to = {here.local()},
                           .bytes = 8};
        EXPECT_EQ(Read(member.endpoint(), read), Outcome::kDone) << "which connects the two";
        Flag ended;
        read.bytes = kBytes;
        read.then = ended.completion();
        member.Post([&] { return member.endpoint().TryRead(read); });
        for (int i = 0; i < steps; ++i) (void)member.endpoint().TryAdvance();
        member.endpoint().Abort();
        const Outcome outcome = member.endpoint().Wait(ended);
        EXPECT_TRUE(outcome == Outcome::kAborted || outcome == Outcome::kDone) << ToString(outcome);
      }
      member.Barrier();
    });
  }
}

TEST_P(Conformance, AnAtomicOnAWordThatIsNotAlignedIsRefused) {
  Run([&](Member& member) {
    const auto fd = NewSharedMemory(4096);
    ASSERT_TRUE(fd.ok()) << fd.status();
    auto odd = member.endpoint().RegisterShared(fd->get(), 60, 100);
    ASSERT_TRUE(odd.ok()) << odd.status();
    const auto all = member.Exchange(*odd);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    EXPECT_EQ(member.endpoint().TryAtomic<std::uint64_t>({.target = there, .operand = 1}),
              Posted::kBadRange);
    Flag done;
    member.Post([&] {
      return member.endpoint().TryAtomic<std::uint64_t>(
          {.target = there + 4, .operand = 1, .then = done.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDone);
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Operations, Conformance, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
