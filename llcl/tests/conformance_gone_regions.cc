// What becomes of operations on a region that its owner has deregistered, and of
// those that are under way at the same time, with every conduit (conformance.h).
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class GoneRegions : public Conformance {};

void Read(Member& member, RemoteAddress from, LocalAddress to, std::uint64_t bytes, Flag& flag) {
  member.Post([&] {
    return member.endpoint().TryRead(
        {.from = from, .to = to, .bytes = bytes, .then = flag.completion()});
  });
}

// So that requests that follow are on their way at once.
void Connect(Member& member, RemoteAddress there, const Region& here) {
  Flag done;
  Read(member, there, {here.local()}, 8, done);
  EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDone);
}

void ExpectDoneOrRefused(Outcome outcome) {
  EXPECT_TRUE(outcome == Outcome::kDone || outcome == Outcome::kRefused) << ToString(outcome);
}

// A region that the next rank has no more, though it was used before.
struct Gone {
  explicit Gone(Member& member) : local(member.Register(words)) {
    auto mine = std::make_unique<Region>(member.Allocate(64));
    there = {member.Exchange(*mine)[static_cast<std::size_t>(member.next())]};
    EXPECT_EQ(Write(member, there), Outcome::kDone);
    member.Barrier();
    mine.reset();
    member.Barrier();
  }

  Outcome Write(Member& member, RemoteAddress to) {
    Flag done;
    member.Post([&] {
      return member.endpoint().TryWrite(
          {.from = {local.local()}, .to = to, .bytes = 64, .then = done.completion()});
    });
    return member.endpoint().Wait(done);
  }
  Outcome Read(Member& member, RemoteAddress from) {
    Flag done;
    llcl::Read(member, from, {local.local()}, 64, done);
    return member.endpoint().Wait(done);
  }
  Outcome Add(Member& member, RemoteAddress to) {
    Flag done;
    member.Post([&] {
      return member.endpoint().TryAtomic<std::uint64_t>(
          {.target = to, .operand = 1, .then = done.completion()});
    });
    return member.endpoint().Wait(done);
  }

  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(8);
  Region local;
  RemoteAddress there;
};

TEST_P(GoneRegions, EachKindOfOperationIsRefusedAndTheNextOneWorks) {
  Run([](Member& member) {
    const Region mine = member.Allocate(64);
    const RemoteAddress good{member.Exchange(mine)[static_cast<std::size_t>(member.next())]};
    Gone gone(member);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(gone.Write(member, gone.there), Outcome::kRefused);
      EXPECT_EQ(gone.Write(member, good), Outcome::kDone);
      EXPECT_EQ(gone.Read(member, gone.there), Outcome::kRefused);
      EXPECT_EQ(gone.Read(member, good), Outcome::kDone);
      EXPECT_EQ(gone.Add(member, gone.there), Outcome::kRefused);
      EXPECT_EQ(gone.Add(member, good), Outcome::kDone);
    }
    for (int rank = 0; rank < member.size(); ++rank) {
      EXPECT_FALSE(member.endpoint().IsDown(Rank{rank}));
    }
    member.Barrier();
  });
}

TEST_P(GoneRegions, OperationsOnOtherRegionsThatAreUnderWayEndWell) {
  Run([](Member& member) {
    constexpr std::size_t kEach = 300;
    const Region mine = member.Allocate(kEach * 8), sum = member.Allocate(8);
    const auto next = static_cast<std::size_t>(member.next());
    const RemoteAddress good{member.Exchange(mine)[next]};
    const RemoteAddress counted{member.Exchange(sum)[next]};
    Gone gone(member);
    std::vector<std::uint64_t> values(kEach);
    for (std::size_t i = 0; i < kEach; ++i) values[i] = i + 1;
    const Region from = member.Register(values);
    Counter well, refused;
    std::uint64_t asked = 0;
    for (std::size_t i = 0; i < kEach; ++i) {
      member.Post([&] {
        return member.endpoint().TryWrite({.from = LocalAddress{from.local()} + i * 8,
                                           .to = good + i * 8,
                                           .bytes = 8,
                                           .then = well.completion()});
      });
      member.Post([&] {
        return member.endpoint().TryAtomic<std::uint64_t>(
            {.target = counted, .operand = 1, .then = well.completion()});
      });
      if (i % 50 != 25) continue;
      ++asked;
      member.Post([&] {
        return member.endpoint().TryWrite(
            {.from = {from.local()}, .to = gone.there, .bytes = 8, .then = refused.completion()});
      });
    }
    member.endpoint().Wait(well, 2 * kEach);
    member.endpoint().Wait(refused, asked);
    EXPECT_EQ(well.failed(), 0u);
    EXPECT_EQ(refused.failed(), asked);
    member.Barrier();
    const std::span words(reinterpret_cast<const std::uint64_t*>(mine.local().start), kEach);
    for (std::size_t i = 0; i < kEach; ++i) EXPECT_EQ(words[i], i + 1);
    EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(sum.local().start), kEach);
    member.Barrier();
  });
}

// A connection that ends for a wrong key has answers and requests of other operations in the
// middle.
TEST_P(GoneRegions, OperationsOfAllSizesOnOtherRegionsEndWell) {
  Run([](Member& member) {
    constexpr std::uint64_t kSizes[] = {704, 1 << 17, 8, 4096};
    constexpr std::uint64_t kMost = 1 << 17;
    constexpr int kEach = 8, kRounds = 4;
    const Region mine = member.Allocate(2 * kMost), own = member.Allocate(2 * kEach * kMost);
    const RemoteAddress good{member.Exchange(mine)[static_cast<std::size_t>(member.next())]};
    Counter well, refused;
    for (int round = 0; round < kRounds; ++round) {
      Gone gone(member);  // anew, as a region that was refused is known to be gone
      for (int i = 0; i < kEach; ++i) {
        const std::uint64_t bytes = kSizes[i % std::size(kSizes)];
        const LocalAddress here = LocalAddress{own.local()} + 2 * i * kMost;
        member.Post([&] {
          return member.endpoint().TryRead(
              {.from = good, .to = here, .bytes = bytes, .then = well.completion()});
        });
        member.Post([&] {
          return member.endpoint().TryWrite({.from = here + kMost,
                                             .to = good + kMost,
                                             .bytes = bytes,
                                             .then = well.completion()});
        });
        if (i != kEach / 2) continue;
        member.Post([&] {
          return round % 2 == 0 ? member.endpoint().TryRead({.from = gone.there,
                                                             .to = {gone.local.local()},
                                                             .bytes = 64,
                                                             .then = refused.completion()})
                                : member.endpoint().TryWrite({.from = {gone.local.local()},
                                                              .to = gone.there,
                                                              .bytes = 64,
                                                              .then = refused.completion()});
        });
      }
      member.endpoint().Wait(well, static_cast<std::uint64_t>((round + 1) * kEach * 2));
      member.endpoint().Wait(refused, static_cast<std::uint64_t>(round + 1));
    }
    EXPECT_EQ(well.failed(), 0u);
    EXPECT_EQ(refused.failed(), static_cast<std::uint64_t>(kRounds));
    member.Barrier();
  });
}

// Memory that the owner maps next may lie where the region was.
TEST_P(GoneRegions, AReadUnderWayDoesNotShowTheMemoryMappedNext) {
  constexpr std::uint64_t kBytes = 16 << 20;
  constexpr int kReads = 16;
  if (GetParam().ranks == 1) GTEST_SKIP() << "the owner is another rank";
  if (UsesOwnMemory()) GTEST_SKIP() << "the memory is the program's";
  // By rank. The network's until the endpoints are gone.
  std::vector<std::vector<std::byte>> memory(static_cast<std::size_t>(GetParam().ranks),
                                             std::vector<std::byte>(kBytes));
  Run([&](Member& member) {
    constexpr auto kTheirs = std::byte{1}, kSecret = std::byte{2};
    auto mine = std::make_unique<Region>(member.Allocate(kBytes));
    std::byte* const was_at = mine->local().start;
    std::fill_n(was_at, kBytes, kTheirs);
    const RemoteAddress there{member.Exchange(*mine)[static_cast<std::size_t>(member.next())]};
    std::vector<std::byte>& here = memory[static_cast<std::size_t>(member.rank())];
    const Region to = member.Register(here);
    std::array<Flag, kReads> ended;
    if (member.rank() == 0) {
      Connect(member, there, to);
      for (Flag& flag : ended) Read(member, there, {to.local()}, kBytes, flag);
    }
    member.Barrier();
    void* next = MAP_FAILED;
    if (member.rank() == 1) {
      mine.reset();
      next = mmap(was_at, kBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (next != MAP_FAILED) std::memset(next, static_cast<int>(kSecret), kBytes);
    }
    if (member.rank() == 0) {
      for (Flag& flag : ended) {
        // By verbs it may end with its own deadline.
        const Outcome outcome = member.endpoint().Wait(flag);
        if (outcome != Outcome::kLate) ExpectDoneOrRefused(outcome);
      }
      EXPECT_EQ(std::count(here.begin(), here.end(), kSecret), 0);
    }
    member.Barrier();
    if (next != MAP_FAILED) munmap(next, kBytes);
  });
}

// The owner has begun to answer long reads before it, so that its answer waits behind them.
TEST_P(GoneRegions, AReadUnderWayOfASmallRegionBringsItsBytes) {
  constexpr std::uint64_t kBytes = 16 << 20, kSmall = 4096;
  constexpr int kReads = 8;
  if (GetParam().ranks == 1) GTEST_SKIP() << "the owner is another rank";
  Run([&](Member& member) {
    constexpr auto kTheirs = std::byte{1};
    const Region large = member.Allocate(kBytes);
    auto small = std::make_unique<Region>(member.Allocate(kSmall));
    std::fill_n(small->local().start, kSmall, kTheirs);
    const auto next = static_cast<std::size_t>(member.next());
    const RemoteAddress first{member.Exchange(large)[next]}, then{member.Exchange(*small)[next]};
    const Region to = member.Allocate(kBytes + kReads * kSmall);
    std::array<Flag, kReads> before, ended;
    if (member.rank() == 0) {
      Connect(member, then, to);
      // They write to the same memory: none may wait for a mapping, which another thread makes.
      Connect(member, first, to);
      for (Flag& flag : before) Read(member, first, {to.local()}, kBytes, flag);
    }
    member.Barrier();
    if (member.rank() == 0) {
      for (std::size_t i = 0; i < kReads; ++i) {
        Read(member, then, LocalAddress{to.local()} + (kBytes + i * kSmall), kSmall, ended[i]);
      }
    }
    member.Barrier();
    if (member.rank() == 1) small.reset();
    if (member.rank() == 0) {
      for (Flag& flag : before) EXPECT_EQ(member.endpoint().Wait(flag), Outcome::kDone);
      for (std::size_t i = 0; i < kReads; ++i) {
        const Outcome outcome = member.endpoint().Wait(ended[i]);
        ExpectDoneOrRefused(outcome);
        const std::byte* const got = to.local().start + kBytes + i * kSmall;
        if (outcome != Outcome::kDone) continue;
        EXPECT_EQ(std::count(got, got + kSmall, kTheirs), kSmall);
      }
    }
    member.Barrier();
  });
}

// The owner may give the memory to the region that it allocates next; its own memory is for other
// things then.
TEST_P(GoneRegions, AWriteUnderWayDoesNotChangeMemoryThatIsUsedNext) {
  if (UsesOwnMemory() && ConduitName() == std::string("ofi")) {
    GTEST_SKIP() << "by libfabric a transfer to the program's memory goes on";
  }
  constexpr std::uint64_t kBytes = 3 << 20, kPiece = 64 << 10;
  constexpr int kRegions = 8;
  Run([&](Member& member) {
    std::vector<std::byte> ones(kPiece, std::byte{1});
    const Region from = member.Register(ones);
    for (int i = 0; i < kRegions; ++i) {
      auto mine = std::make_unique<Region>(member.Allocate(kBytes));
      std::byte* const was_at = mine->local().start;
      const RemoteAddress there{member.Exchange(*mine)[static_cast<std::size_t>(member.next())]};
      std::atomic<std::uint64_t> refused{0};
      std::vector<std::thread> writers;
      for (int thread = 0; thread < GetParam().threads; ++thread) {
        writers.emplace_back([&, thread] {
          // Until the region is gone; each thread has pieces of its own.
          const auto first = static_cast<std::uint64_t>(thread) * kPiece;
          const auto step = static_cast<std::uint64_t>(GetParam().threads) * kPiece;
          for (std::uint64_t at = first;; at = (at + step) % kBytes) {
            Flag done;
            member.Post([&] {
              return member.endpoint().TryWrite({.from = {from.local()},
                                                 .to = there + at,
                                                 .bytes = kPiece,
                                                 .then = done.completion()});
            });
            const Outcome outcome = member.endpoint().Wait(done);
            if (outcome == Outcome::kDone) continue;
            EXPECT_EQ(outcome, Outcome::kRefused);
            ++refused;
            return;
          }
        });
      }
      mine.reset();
      if (UsesOwnMemory()) std::fill_n(was_at, kBytes, std::byte{0});
      const Region next = member.Allocate(kBytes);
      const std::byte* const memory = UsesOwnMemory() ? was_at : next.local().start;
      const auto has_ones = [&] {
        return std::find(memory, memory + kBytes, std::byte{1}) != memory + kBytes;
      };
      EXPECT_FALSE(has_ones());
      for (std::thread& writer : writers) writer.join();
      EXPECT_EQ(refused.load(), static_cast<std::uint64_t>(GetParam().threads));
      member.Barrier();
      EXPECT_FALSE(has_ones());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Conduit, GoneRegions, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
