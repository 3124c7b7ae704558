// Collective operations of 180 and 1,024 ranks in one thread: messages come in an order that a seed
// decides, the results are right, and the messages and bytes are those of closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/collective/collectives.h"
#include "llcl/collective/host_schedule.h"
#include "llcl/collective/long_schedule.h"
#include "llcl/collective/schedule.h"
#include "llcl/tests/message_carrier.h"
#include "tools/random/seeds.h"

namespace llcl {
namespace {

// SplitMix64: Steele, Lea, Flood, 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t Below(std::size_t most) {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return static_cast<std::size_t>((x ^ x >> 31) % most);
  }

 private:
  std::uint64_t state_;
};

// The messages of a run. A value.
struct Sent {
  std::uint64_t messages = 0, bytes = 0;  // without their headers
  std::uint64_t order = 0;                // a digest of the order in which they came
  friend bool operator==(const Sent&, const Sent&) = default;
};

using Words = std::vector<std::uint64_t>;

// The part of a rank: its schedule, and up to two pieces of the schedule's buffer.
struct Share {
  Schedule schedule;
  std::array<std::span<std::byte>, 2> memory = {};
};

// A job of one operation.
class Job {
 public:
  Job(int size, std::uint64_t seed) : size_(size), random_(seed), ended_(Index(size)) {
    auto members = std::make_shared<std::vector<Rank>>();
    for (int rank = 0; rank < size; ++rank) members->push_back(Rank{rank});
    members_ = std::move(members);
    for (int rank = 0; rank < size; ++rank) {
      carriers_.push_back(std::make_unique<MessageCarrier>(
          Rank{rank},
          [this, rank](Rank to, std::span<const std::byte> bytes) {
            under_way_.push_back({rank, ToInt(to), {bytes.begin(), bytes.end()}});
          },
          [](Rank) { return Presence::kHere; }));
      ranks_.push_back(std::make_unique<Collectives>(*carriers_.back(), 0));
    }
  }

  Sent Run(const std::function<Share(int rank)>& part_of) {
    std::vector<int> to_begin(Index(size_));
    std::iota(to_begin.begin(), to_begin.end(), 0);
    Sent sent;
    // Ranks begin while others are far ahead.
    while (!to_begin.empty() || !under_way_.empty()) {
      const bool begins = !to_begin.empty() && (under_way_.empty() || random_.Below(3) == 0);
      if (begins) {
        Begin(TakeAny(to_begin), part_of);
        continue;
      }
      const Message message = TakeAny(under_way_);
      ++sent.messages;
      sent.bytes += message.bytes.size() - sizeof(FrameHeader);
      sent.order = sent.order * 31 + static_cast<std::uint64_t>(message.from * size_ + message.to);
      EXPECT_TRUE(ranks_[Index(message.to)]->OnMessage(Rank{message.from}, message.bytes));
    }
    EXPECT_EQ(std::count(ended_.begin(), ended_.end(), Outcome::kDone), size_);
    return sent;
  }

 private:
  struct Message {
    int from = 0, to = 0;
    std::vector<std::byte> bytes;
  };
  static std::size_t Index(int rank) { return static_cast<std::size_t>(rank); }

  template <typename T>
  T TakeAny(std::vector<T>& list) {
    std::swap(list[random_.Below(list.size())], list.back());
    T taken = std::move(list.back());
    list.pop_back();
    return taken;
  }
  void Begin(int rank, const std::function<Share(int rank)>& part_of) {
    Share part = part_of(rank);
    ended_[Index(rank)] = Outcome::kAborted;
    const auto add = [](std::span<std::byte> to, std::span<const std::byte> first,
                        std::span<const std::byte> second) {
      Combine(AtomicType::kU64, AtomicOp::kAdd, to, first, second);
    };
    EXPECT_EQ(
        ranks_[Index(rank)]->TryBegin(
            {7, 0},
            {.schedule = std::make_shared<const Schedule>(std::move(part.schedule)),
             .memory = part.memory,
             .members = members_,
             .combine = add,
             .then = {[](void* ended, Outcome outcome) { *static_cast<Outcome*>(ended) = outcome; },
                      &ended_[Index(rank)]}}),
        Posted::kPosted);
  }

  const int size_;
  Random random_;
  std::shared_ptr<const std::vector<Rank>> members_;
  std::vector<std::unique_ptr<MessageCarrier>> carriers_;
  std::vector<std::unique_ptr<Collectives>> ranks_;
  std::vector<Message> under_way_;
  std::vector<Outcome> ended_;
};

std::span<std::byte> Bytes(Words& words) { return std::as_writable_bytes(std::span(words)); }

// The memory of all ranks, by rank.
using Memory = std::vector<Words>;

// Runs it, and where it is not too long a second time: both have the same order.
Sent RunAgain(int size, const std::function<void()>& fill,
              const std::function<Share(int rank)>& part_of) {
  const std::uint64_t seed = random_programs::FirstSeed();
  fill();
  const Sent first = Job(size, seed).Run(part_of);
  if (size <= 180) {
    fill();
    EXPECT_EQ(Job(size, seed).Run(part_of), first) << "seed " << seed;
  }
  return first;
}

// Expects so many messages and bytes.
void Expect(const Sent& sent, std::uint64_t messages, std::uint64_t bytes) {
  EXPECT_EQ(sent.messages, messages);
  EXPECT_EQ(sent.bytes, bytes);
}

// Recursive doubling by a power of two of the ranks; the others give their word and get the sum.
std::uint64_t MessagesOfDoubling(std::uint64_t ranks) {
  const std::uint64_t core = std::bit_floor(ranks);
  return core * static_cast<std::uint64_t>(std::countr_zero(core)) + 2 * (ranks - core);
}

class SimulatedRanks : public testing::TestWithParam<int> {
 protected:
  const int size_ = GetParam();
  const std::uint64_t p_ = static_cast<std::uint64_t>(GetParam());
  // Rounds, each of which doubles the parts that a rank has.
  const std::uint64_t doublings_ = static_cast<std::uint64_t>(std::bit_width(p_ - 1));
};

TEST_P(SimulatedRanks, MeetInABarrier) {
  const Sent sent = RunAgain(
      size_, [] {}, [&](int rank) { return Share{BarrierSchedule(rank, size_)}; });
  Expect(sent, p_ * doublings_, 0);
}

TEST_P(SimulatedRanks, BroadcastAWord) {
  Memory memory;
  const Sent sent = RunAgain(
      size_,
      [&] {
        memory.assign(p_, Words(1));
        memory[3][0] = 42;
      },
      [&](int rank) {
        return Share{BroadcastSchedule(rank, size_, 3, 8),
                     {Bytes(memory[static_cast<std::size_t>(rank)])}};
      });
  Expect(sent, p_ - 1, 8 * (p_ - 1));
  EXPECT_EQ(memory, Memory(p_, Words(1, 42)));
}

TEST_P(SimulatedRanks, AllreduceAWord) {
  Memory memory;
  const Sent sent = RunAgain(
      size_,
      [&] {
        memory.assign(p_, Words(1));
        for (std::uint64_t rank = 0; rank < p_; ++rank) memory[rank][0] = rank;
      },
      [&](int rank) {
        return Share{AllreduceSchedule(rank, size_, 8),
                     {Bytes(memory[static_cast<std::size_t>(rank)])}};
      });
  const std::uint64_t messages = MessagesOfDoubling(p_);
  Expect(sent, messages, 8 * messages);
  EXPECT_EQ(memory, Memory(p_, Words(1, p_ * (p_ - 1) / 2)));
}

TEST_P(SimulatedRanks, AllreduceManyWordsInARing) {
  Memory values, sums;
  const Blocks blocks = Blocks::Even(p_ * 8, size_, 8);
  const Sent sent = RunAgain(
      size_,
      [&] {
        values.assign(p_, Words(p_));
        sums.assign(p_, Words(p_));
        for (std::uint64_t rank = 0; rank < p_; ++rank) {
          std::iota(values[rank].begin(), values[rank].end(), rank);
        }
      },
      [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        return Share{LongAllreduceSchedule(rank, size_, blocks),
                     {Bytes(values[at]), Bytes(sums[at])}};
      });
  // Each block is combined along p - 1 ranks, and comes to p - 1 ranks.
  Expect(sent, 2 * p_ * (p_ - 1), 2 * p_ * (p_ - 1) * 8);
  Words expected(p_);
  for (std::uint64_t word = 0; word < p_; ++word) expected[word] = p_ * word + p_ * (p_ - 1) / 2;
  EXPECT_EQ(sums, Memory(p_, expected));
}

TEST_P(SimulatedRanks, AllgatherInARingAndByDoubling) {
  Memory all;
  const Blocks blocks = Blocks::Even(p_ * 8, size_, 8);
  Words mine(p_);
  std::iota(mine.begin(), mine.end(), 1000u);
  const Sent ring = RunAgain(
      size_,
      [&] {
        all.assign(p_, Words(p_));
        for (std::uint64_t rank = 0; rank < p_; ++rank) all[rank][rank] = mine[rank];
      },
      [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        return Share{LongAllgatherSchedule(rank, size_, blocks),
                     {std::as_writable_bytes(std::span(&mine[at], 1)), Bytes(all[at])}};
      });
  Expect(ring, p_ * (p_ - 1), p_ * (p_ - 1) * 8);
  EXPECT_EQ(all, Memory(p_, mine));
  const Sent doubling = RunAgain(
      size_,
      [&] {
        all.assign(p_, Words(p_));
        for (std::uint64_t rank = 0; rank < p_; ++rank) all[rank][0] = mine[rank];
      },
      [&](int rank) {
        return Share{AllgatherSchedule(rank, size_, 8),
                     {Bytes(all[static_cast<std::size_t>(rank)])}};
      });
  EXPECT_EQ(doubling.bytes, p_ * (p_ - 1) * 8);
  for (int rank = 0; rank < size_; ++rank) {
    for (int of = 0; of < size_; ++of) {
      ASSERT_EQ(all[static_cast<std::size_t>(rank)]
                   [static_cast<std::size_t>(AllgatherBlock(of, rank, size_))],
                mine[static_cast<std::size_t>(of)]);
    }
  }
}

TEST_P(SimulatedRanks, AlltoallInWindows) {
  Memory theirs(p_, Words(p_)), mine(p_, Words(p_));
  const Blocks blocks = Blocks::Even(p_ * 8, size_, 8);
  const Sent sent = RunAgain(
      size_,
      [&] {
        for (std::uint64_t rank = 0; rank < p_; ++rank) {
          std::iota(mine[rank].begin(), mine[rank].end(), rank * 10'000);
          theirs[rank].assign(p_, 0);
          theirs[rank][rank] = mine[rank][rank];
        }
      },
      [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        return Share{LongAlltoallSchedule(rank, size_, blocks, blocks),
                     {Bytes(mine[at]), Bytes(theirs[at])}};
      });
  Expect(sent, p_ * (p_ - 1), p_ * (p_ - 1) * 8);
  for (std::uint64_t rank = 0; rank < p_; ++rank) {
    for (std::uint64_t from = 0; from < p_; ++from) {
      ASSERT_EQ(theirs[rank][from], from * 10'000 + rank);
    }
  }
}

// Of 180 only: each rank has half a megabyte.
TEST(SimulatedRanks180, BroadcastManyWordsInAChain) {
  constexpr int kRanks = 180;
  // Two segments and a rest.
  constexpr std::uint64_t kWords = (2 * kSegment + 4096) / 8;
  Memory memory;
  const Sent sent = RunAgain(
      kRanks,
      [&] {
        memory.assign(kRanks, Words(kWords));
        std::iota(memory[0].begin(), memory[0].end(), 1u);
      },
      [&](int rank) {
        return Share{LongBroadcastSchedule(rank, kRanks, 0, kWords * 8),
                     {Bytes(memory[static_cast<std::size_t>(rank)])}};
      });
  EXPECT_EQ(sent.bytes, (kRanks - 1) * kWords * 8);
  for (const Words& words : memory) EXPECT_EQ(words, memory[0]);
}

// On hosts of four ranks.
class SimulatedHosts : public SimulatedRanks {
 protected:
  SimulatedHosts() {
    std::vector<int> host_of;
    for (int rank = 0; rank < size_; ++rank) host_of.push_back(rank / 4);
    hosts_ = TeamHosts(host_of);
  }
  const std::uint64_t h_ = p_ / 4;  // hosts
  TeamHosts hosts_;
};

TEST_P(SimulatedHosts, MeetInABarrier) {
  const Sent sent = RunAgain(
      size_, [] {}, [&](int rank) { return Share{HostBarrierSchedule(rank, hosts_)}; });
  // To the leader and back, and among the leaders.
  Expect(sent, 2 * (p_ - h_) + MessagesOfDoubling(h_), 0);
}

TEST_P(SimulatedHosts, AllreduceManyWords) {
  Memory values, sums;
  const std::uint64_t bytes = h_ * 4 * 8;
  const Sent sent = RunAgain(
      size_,
      [&] {
        values.assign(p_, Words(p_));
        sums.assign(p_, Words(p_));
        for (int rank = 0; rank < size_; ++rank) {
          const auto at = static_cast<std::size_t>(rank);
          std::iota(values[at].begin(), values[at].end(), at);
        }
      },
      [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        return Share{LongHostAllreduceSchedule(rank, hosts_, bytes, 8),
                     {Bytes(values[at]), Bytes(sums[at])}};
      });
  // Inside each host a reduce-scatter and an allgather; each block twice around the hosts.
  EXPECT_EQ(sent.bytes, 2 * h_ * 3 * bytes + 2 * (h_ - 1) * bytes);
  Words expected(p_);
  for (std::uint64_t word = 0; word < p_; ++word) expected[word] = p_ * word + p_ * (p_ - 1) / 2;
  EXPECT_EQ(sums, Memory(p_, expected));
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedHosts, testing::Values(180, 1024),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(All, SimulatedRanks, testing::Values(180, 1024),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace llcl
