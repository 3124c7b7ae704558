// Collective operations by streams (conduit/streams.h), in one thread: frames are cut anywhere and
// come in an order that a seed decides; ways are full at times; ranks begin late, and one
// may give up. The results are right on each rank that ends well, and the memory of an operation
// that has ended is not used any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/collective/collectives.h"
#include "llcl/collective/long_schedule.h"
#include "llcl/collective/outgoing.h"
#include "llcl/collective/schedule.h"
#include "llcl/tests/scripted_streams.h"
#include "tools/random/seeds.h"

namespace llcl {
namespace {

using Words = std::vector<std::uint64_t>;

// The part of a rank: its schedule, its memory, and the memory's contents in the end.
struct Share {
  Schedule schedule;
  Words sent, result, expected;
};

class Job {
 public:
  Job(int size, std::uint64_t seed)
      : size_(static_cast<std::size_t>(size)),
        generator_(seed),
        random_([this](std::size_t below) { return generator_() % below; }),
        ended_(size_),
        shares_(size_) {
    std::vector<Rank> members;
    for (int rank = 0; rank < size; ++rank) members.push_back(Rank{rank});
    members_ = std::make_shared<const std::vector<Rank>>(std::move(members));
    for (int rank = 0; rank < size; ++rank) {
      carriers_.push_back(std::make_unique<StreamCarrier>(
          Rank{rank},
          [this, rank](Rank to, std::span<const std::byte> bytes) {
            messages_.push_back({rank, ToInt(to), {bytes.begin(), bytes.end()}});
          },
          random_));
      carriers_.back()->streams.streams.resize(size_);
      ranks_.push_back(std::make_unique<Collectives>(*carriers_.back(), 0));
    }
  }
  std::size_t Below(std::size_t below) { return random_(below); }

  // `given_up`: a rank, or -1. How many ranks ended well.
  int Run(const std::function<Share(int rank)>& share_of, int given_up) {
    std::size_t begun = 0;
    for (int steps = 0; steps < 1'000'000 && !IsOver(); ++steps) {
      const std::size_t at = random_(size_);
      switch (random_(6)) {
        case 0:
          if (begun < size_) Begin(static_cast<int>(begun++), share_of);
          break;
        case 1:
          if (!messages_.empty()) Handle();
          break;
        case 2:
          if (static_cast<int>(at) == given_up && begun == size_ && random_(50) == 0) {
            ranks_[at]->Abort();
          }
          break;
        case 3:
          (void)ranks_[at]->Advance();
          break;
        default:
          Carry(at, random_(size_));
      }
      SpoilEnded();
      if (given_up >= 0 && begun == size_ && steps > 200'000) break;
    }
    int ended_well = 0;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      if (ended_[rank] != Outcome::kDone) continue;
      ++ended_well;
    }
    return ended_well;
  }

 private:
  struct Message {
    int from = 0, to = 0;
    std::vector<std::byte> bytes;
  };

  bool IsOver() const {
    return std::all_of(ended_.begin(), ended_.end(),
                       [](const auto& one) { return one.has_value(); });
  }
  void Begin(int rank, const std::function<Share(int rank)>& share_of) {
    const auto at = static_cast<std::size_t>(rank);
    Share& share = shares_[at] = share_of(rank);
    const auto add = [](std::span<std::byte> to, std::span<const std::byte> first,
                        std::span<const std::byte> second) {
      Combine(AtomicType::kU64, AtomicOp::kAdd, to, first, second);
    };
    const Posted posted = ranks_[at]->TryBegin(
        {7, 0}, {.schedule = std::make_shared<const Schedule>(share.schedule),
                 .memory = {std::as_writable_bytes(std::span(share.sent)),
                            std::as_writable_bytes(std::span(share.result))},
                 .members = members_,
                 .combine = add,
                 .is_own_combine = random_(2) == 0,
                 .then = {[](void* ended, Outcome outcome) {
                            *static_cast<std::optional<Outcome>*>(ended) = outcome;
                          },
                          &ended_[at]}});
    EXPECT_EQ(posted, Posted::kPosted);
  }
  void Handle() {
    std::swap(messages_[random_(messages_.size())], messages_.back());
    const Message message = std::move(messages_.back());
    messages_.pop_back();
    EXPECT_TRUE(
        ranks_[static_cast<std::size_t>(message.to)]->OnMessage(Rank{message.from}, message.bytes));
  }
  // Sends some bytes of the first frames, and brings a piece of the first one.
  void Carry(std::size_t from, std::size_t to) {
    Stream& stream = carriers_[from]->streams.streams[to];
    for (Stream::Frame& frame : stream.frames) {
      if (!frame.memory.empty()) {
        ScriptedStreams::Send(stream, frame, 1 + random_(frame.memory.size()));
        break;
      }
      stream.sent = std::max(stream.sent, frame.end);
    }
    if (stream.frames.empty()) return;
    Stream::Frame& frame = stream.frames.front();
    const Rank sender{static_cast<std::int32_t>(from)};
    std::size_t bytes = random_(frame.sent.size() + 1);
    if (random_(2) == 0) bytes = frame.sent.size();
    const bool is_last = frame.came + bytes == frame.bytes;
    bytes -= is_last ? 0 : std::min(bytes, (frame.came + bytes) % frame.unit);
    std::size_t used = 0;
    const auto fill = [&](std::span<std::byte> place) {
      used = 1 + random_(place.size());
      std::memcpy(place.data(), frame.sent.data(), used);
      return used;
    };
    const bool fills = bytes > 0 && random_(2) == 0;
    if (!fills || !ranks_[to]->TryFill(sender, frame.header, frame.came, bytes, fill)) {
      if (bytes == 0 && frame.bytes > 0) return;
      ranks_[to]->Take(sender, frame.header, frame.came, std::span(frame.sent).first(bytes));
      used = bytes;
    }
    frame.came += used;
    frame.sent.erase(frame.sent.begin(), frame.sent.begin() + static_cast<std::ptrdiff_t>(used));
    if (frame.came == frame.bytes) stream.frames.pop_front();
  }
  // Looks at the result of operations that have ended, and then changes their memory.
  void SpoilEnded() {
    for (std::size_t rank = 0; rank < size_; ++rank) {
      Share& share = shares_[rank];
      if (!ended_[rank] || share.expected.empty()) continue;
      if (ended_[rank] == Outcome::kDone) {
        EXPECT_TRUE((share.result.empty() ? share.sent : share.result) == share.expected)
            << "rank " << rank;
      }
      std::fill(share.sent.begin(), share.sent.end(), 0x5555);
      std::fill(share.result.begin(), share.result.end(), 0x5555);
      share.expected.clear();
    }
  }

  const std::size_t size_;
  std::mt19937_64 generator_;
  const Random random_;
  std::shared_ptr<const std::vector<Rank>> members_;
  std::vector<Message> messages_;
  std::vector<std::optional<Outcome>> ended_;
  std::vector<Share> shares_;
  std::vector<std::unique_ptr<StreamCarrier>> carriers_;
  std::vector<std::unique_ptr<Collectives>> ranks_;
};

constexpr std::size_t kWord = sizeof(std::uint64_t);

Words WordsOf(int rank, std::size_t words) {
  Words all(words);
  for (std::size_t i = 0; i < words; ++i)
    all[i] = static_cast<std::uint64_t>(rank + 1) * 1'000'003 + i;
  return all;
}

Share BroadcastShare(int rank, int size, std::size_t words) {
  const int root = size - 1;
  return {.schedule = LongBroadcastSchedule(rank, size, root, words * kWord),
          .sent = rank == root ? WordsOf(root, words) : Words(words),
          .expected = WordsOf(root, words)};
}

Share AllreduceShare(int rank, int size, std::size_t words) {
  const Blocks blocks = Blocks::Even(words * kWord, size, kWord);
  Share share = {.schedule = LongAllreduceSchedule(rank, size, blocks),
                 .sent = WordsOf(rank, words),
                 .result = Words(words),
                 .expected = Words(words)};
  for (int other = 0; other < size; ++other) {
    const Words theirs = WordsOf(other, words);
    for (std::size_t i = 0; i < words; ++i) share.expected[i] += theirs[i];
  }
  return share;
}

Share AllgatherShare(int rank, int size, std::size_t words) {
  const Blocks blocks(std::vector<std::size_t>(static_cast<std::size_t>(size), words * kWord));
  Share share = {.schedule = LongAllgatherSchedule(rank, size, blocks),
                 .sent = WordsOf(rank, words)};
  for (int other = 0; other < size; ++other) {
    const Words theirs = WordsOf(other, words);
    share.expected.insert(share.expected.end(), theirs.begin(), theirs.end());
    const Words known = other == rank ? theirs : Words(words);
    share.result.insert(share.result.end(), known.begin(), known.end());
  }
  return share;
}

using ShareOf = Share (*)(int rank, int size, std::size_t words);
constexpr std::array<ShareOf, 3> kShares = {BroadcastShare, AllreduceShare, AllgatherShare};

void RunJobs(int jobs, bool with_loss) {
  const std::uint64_t first = random_programs::FirstSeed();
  SCOPED_TRACE("seed " + std::to_string(first));
  int ended_well_in_all = 0;
  for (int job = 0; job < jobs; ++job) {
    const int size = 2 + job % 3;
    Job one(size, first + static_cast<std::uint64_t>(job));
    const ShareOf share_of = kShares[one.Below(kShares.size())];
    // Below, at and above the bytes that go ahead.
    const std::size_t edge = one.Below(2) == 0 ? Outgoing::kFirst : Outgoing::kMostAhead;
    const std::size_t words =
        one.Below(2) == 0 ? 1 + one.Below(100) : edge / kWord - 4 + one.Below(30'000);
    const int given_up =
        with_loss ? static_cast<int>(one.Below(static_cast<std::size_t>(size))) : -1;
    const int ended_well = one.Run([&](int rank) { return share_of(rank, size, words); }, given_up);
    if (!with_loss) {
      ASSERT_EQ(ended_well, size) << "job " << job;
    }
    ended_well_in_all += ended_well;
  }
  EXPECT_GT(ended_well_in_all, jobs / 4);
}

TEST(StreamedRanks, AnyOrderOfPiecesGivesTheSameResults) { RunJobs(150, false); }

TEST(StreamedRanks, ARankThatGivesUpSpoilsNoOtherResult) { RunJobs(60, true); }

}  // namespace
}  // namespace llcl
