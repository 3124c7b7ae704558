// The bytes that go by a stream ahead of their receiver (collective/stream_windows.h), in one
// thread: two ranks begin operations in any order, operations fail, and messages come late.
// Afterwards as many bytes go ahead as at the beginning.
#include "llcl/collective/stream_windows.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "llcl/collective/collectives.h"
#include "llcl/collective/disagreement.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/long_schedule.h"
#include "llcl/collective/outgoing.h"
#include "llcl/collective/schedule.h"
#include "llcl/tests/scripted_streams.h"

namespace llcl {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::size_t kWord = sizeof(std::uint64_t);

Words WordsOf(std::uint64_t team, std::size_t words) {
  Words all(words);
  std::iota(all.begin(), all.end(), team * 1'000'003);
  return all;
}

// Two ranks, and broadcasts of the first in teams of their own, which begin when a test says so.
class RootAndLeaf {
 public:
  // `is_slow_to_leaf`: messages to the leaf come after all that the stream brings.
  RootAndLeaf(std::size_t bytes, bool is_slow_to_leaf)
      : words_(bytes / kWord), is_slow_to_leaf_(is_slow_to_leaf) {
    for (int rank = 0; rank < 2; ++rank) {
      carriers_.push_back(std::make_unique<StreamCarrier>(
          Rank{rank},
          [this](Rank to, std::span<const std::byte> message) {
            messages_[static_cast<std::size_t>(ToInt(to))].emplace_back(message.begin(),
                                                                        message.end());
          },
          never_full_));
      carriers_.back()->streams.streams.resize(2);
      ranks_.push_back(std::make_unique<Collectives>(*carriers_.back(), 0));
    }
  }

  void Begin(int rank, std::uint64_t team, std::uint32_t number = 0) {
    Words& memory = memory_[{rank, team}];
    memory = rank == 0 ? WordsOf(team, words_) : Words(words_);
    const Posted posted = ranks_[static_cast<std::size_t>(rank)]->TryBegin(
        {team, number}, {.schedule = std::make_shared<const Schedule>(
                             LongBroadcastSchedule(rank, 2, 0, words_ * kWord)),
                         .memory = {std::as_writable_bytes(std::span(memory))},
                         .members = members_,
                         .then = {[](void* done, Outcome outcome) {
                                    if (outcome == Outcome::kDone)
                                      ++*static_cast<std::size_t*>(done);
                                  },
                                  &done_}});
    EXPECT_EQ(posted, Posted::kPosted);
  }
  // The operation of the leaf fails; that of the root goes on.
  void FailOnLeaf(std::uint64_t team) {
    const FrameHeader header = HeaderOf({team, 0}, 0, CollectiveFrame::kDisagreement, 0);
    const Disagreement disagreement = {.from = 0, .to = 1};
    std::vector<std::byte> message(sizeof header + sizeof disagreement);
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, &disagreement, sizeof disagreement);
    EXPECT_TRUE(ranks_[1]->OnMessage(Rank{0}, message));
  }
  // Carries all there is, until there is no more. Returns the bytes of parts.
  std::size_t Carry() {
    std::size_t bytes = 0;
    bool did = true;
    while (std::exchange(did, false)) {
      did = Deliver(0);
      if (!is_slow_to_leaf_) did = Deliver(1) || did;
      Stream& stream = carriers_[0]->streams.streams[1];
      for (; !stream.frames.empty(); did = true) {
        Stream::Frame& frame = stream.frames.front();
        ScriptedStreams::Send(stream, frame, frame.memory.size());
        ranks_[1]->Take(Rank{0}, frame.header, 0, frame.sent);
        bytes += frame.bytes;
        stream.frames.pop_front();
      }
      for (const auto& rank : ranks_) did = rank->Advance() || did;
      if (!did) did = Deliver(1);
    }
    return bytes;
  }
  // Of both ranks: operations that have ended well.
  std::size_t done() const { return done_; }
  void ExpectResult(std::uint64_t team) const {
    EXPECT_TRUE(memory_.at({1, team}) == WordsOf(team, words_)) << team;
  }

 private:
  // The messages to a rank. True: there was one.
  bool Deliver(int to) {
    auto& messages = messages_[static_cast<std::size_t>(to)];
    const bool did = !messages.empty();
    while (!messages.empty()) {
      const std::vector<std::byte> message = std::move(messages.front());
      messages.pop_front();
      EXPECT_TRUE(ranks_[static_cast<std::size_t>(to)]->OnMessage(Rank{1 - to}, message));
    }
    return did;
  }

  const std::size_t words_;
  const bool is_slow_to_leaf_;
  const Random never_full_ = [](std::size_t below) { return below - 1; };
  const std::shared_ptr<const std::vector<Rank>> members_ =
      std::make_shared<const std::vector<Rank>>(std::vector{Rank{0}, Rank{1}});
  std::array<std::deque<std::vector<std::byte>>, 2> messages_;  // by receiver
  std::map<std::pair<int, std::uint64_t>, Words> memory_;       // by rank and team
  std::size_t done_ = 0;
  std::vector<std::unique_ptr<StreamCarrier>> carriers_;
  std::vector<std::unique_ptr<Collectives>> ranks_;
};

constexpr std::uint64_t kTeams = 40;
enum class Order { kLeafFirst, kLeafLast, kLeafLastAndBackwards, kTogether };

// After operations in any order the root sends as much ahead as at the beginning, but for the bytes
// that the leaf has not told yet.
void ExpectAWholeWindow(std::size_t part, Order order, bool is_slow_to_leaf) {
  RootAndLeaf job(part, is_slow_to_leaf);
  constexpr std::uint64_t team = 1;
  const auto begin_on_leaf = [&](bool backwards) {
    for (std::uint64_t i = 0; i < kTeams; ++i) {
      job.Begin(1, team + (backwards ? kTeams - 1 - i : i));
      (void)job.Carry();
    }
  };
  if (order == Order::kLeafFirst) begin_on_leaf(false);
  for (std::uint64_t i = 0; i < kTeams; ++i) {
    job.Begin(0, team + i);
    if (order != Order::kTogether) continue;
    job.Begin(1, team + i);
    (void)job.Carry();
  }
  if (order == Order::kLeafLast) begin_on_leaf(false);
  if (order == Order::kLeafLastAndBackwards) begin_on_leaf(true);
  (void)job.Carry();
  EXPECT_EQ(job.done(), 2 * kTeams);
  for (std::uint64_t i = 0; i < kTeams; ++i) job.ExpectResult(team + i);

  for (std::uint64_t i = 0; i < kTeams; ++i) job.Begin(0, team + i, 1);
  const std::size_t ahead = job.Carry();
  EXPECT_LE(ahead, StreamWindows::kMost);
  const std::size_t each = part <= Outgoing::kMostAhead ? part : Outgoing::kFirst;
  EXPECT_GT(ahead, StreamWindows::kMost - StreamWindows::kTold - each);
  for (std::uint64_t i = 0; i < kTeams; ++i) job.Begin(1, team + i, 1);
  (void)job.Carry();
  EXPECT_EQ(job.done(), 4 * kTeams);
}

TEST(StreamWindows, AMegabyteGoesAheadOfARankInWhicheverOrderOperationsBegin) {
  for (const std::size_t part :
       {std::size_t{32} << 10, Outgoing::kMostAhead, std::size_t{1} << 20}) {
    for (const Order order :
         {Order::kLeafFirst, Order::kLeafLast, Order::kLeafLastAndBackwards, Order::kTogether}) {
      SCOPED_TRACE(testing::Message() << part << " bytes, order " << static_cast<int>(order));
      ExpectAWholeWindow(part, order, false);
      ExpectAWholeWindow(part, order, true);
    }
  }
}

TEST(StreamWindows, OperationsThatFailTakeNothingOfTheWindow) {
  RootAndLeaf job(Outgoing::kMostAhead, false);
  for (std::uint64_t team = 1; team <= kTeams; ++team) {
    job.Begin(0, team);
    if (team % 2 == 0) (void)job.Carry();
    job.Begin(1, team);
    job.FailOnLeaf(team);
    (void)job.Carry();
  }
  for (std::uint64_t team = kTeams + 1; team <= 2 * kTeams; ++team) job.Begin(0, team);
  EXPECT_GT(job.Carry(), StreamWindows::kMost - StreamWindows::kTold - Outgoing::kMostAhead);
}

}  // namespace
}  // namespace llcl
