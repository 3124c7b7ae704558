// Collective operations by streams (conduit/streams.h), in one thread: frames are cut anywhere and
// come in an order that a seed decides; ways are full at times; ranks begin late, and one
// may give up. The results are right on each rank that ends well, and the memory of an operation
// that has ended is not used any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/collective/collectives.h"
#include "llcl/collective/disagreement.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/long_schedule.h"
#include "llcl/collective/outgoing.h"
#include "llcl/collective/schedule.h"
#include "llcl/collective/unasked.h"
#include "llcl/tests/message_carrier.h"
#include "tools/random/seeds.h"

namespace llcl {
namespace {

using Words = std::vector<std::uint64_t>;
using Random = std::function<std::size_t(std::size_t below)>;

// A stream from one rank to another.
struct Stream {
  struct Frame {
    std::vector<std::byte> header;
    std::size_t unit = 1, bytes = 0;
    std::span<const std::byte> memory;  // that is not sent
    std::vector<std::byte> sent;        // that has not come
    std::size_t came = 0;
    std::uint64_t end = 0;
  };
  std::deque<Frame> frames;
  std::uint64_t added = 0, sent = 0;  // frames, ever
};

class ScriptedStreams final : public Streams {
 public:
  explicit ScriptedStreams(const Random& random) : random_(random) {}
  std::vector<Stream> streams;  // by receiver

  void SetTaker(StreamTaker* /*taker*/) override {}
  bool Reach(Rank /*rank*/) const override { return true; }
  bool TryWrite(Rank to, std::span<const std::byte> header, std::size_t unit,
                std::span<const std::byte> payload, Sending& sending) override {
    if (random_(3) == 0) return false;
    Stream& stream = StreamTo(to);
    EXPECT_EQ(payload.size() % unit, 0u);
    sending = {.to = to, .end = ++stream.added};
    stream.frames.push_back({.header = {header.begin(), header.end()},
                             .unit = unit,
                             .bytes = payload.size(),
                             .memory = payload,
                             .end = sending.end});
    return true;
  }
  bool HasSent(const Sending& sending) const override {
    return streams[static_cast<std::size_t>(ToInt(sending.to))].sent >= sending.end;
  }
  void Keep(Rank to, std::span<const std::byte> memory) override {
    for (Stream::Frame& frame : StreamTo(to).frames) {
      const bool is_its = !frame.memory.empty() && frame.memory.data() >= memory.data() &&
                          frame.memory.data() < memory.data() + memory.size();
      if (is_its) Send(StreamTo(to), frame, frame.memory.size());
    }
  }
  static void Send(Stream& stream, Stream::Frame& frame, std::size_t bytes) {
    frame.sent.insert(frame.sent.end(), frame.memory.begin(),
                      frame.memory.begin() + static_cast<std::ptrdiff_t>(bytes));
    frame.memory = frame.memory.subspan(bytes);
    if (frame.memory.empty()) stream.sent = std::max(stream.sent, frame.end);
  }
  Stream& StreamTo(Rank to) { return streams[static_cast<std::size_t>(ToInt(to))]; }

 private:
  const Random& random_;
};

class StreamCarrier final : public MessageCarrier {
 public:
  StreamCarrier(Rank rank, SendFunction send, const Random& random)
      : MessageCarrier(rank, std::move(send), [](Rank) { return Presence::kHere; }),
        streams(random) {}
  ScriptedStreams streams;

  bool StreamsTo(Rank to) const override { return to != rank(); }
  void UseStreams(WithStreams f) override { f(streams); }
};

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
    memory = rank == 0 ? WordsOf(static_cast<int>(team), words_) : Words(words_);
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
    EXPECT_TRUE(memory_.at({1, team}) == WordsOf(static_cast<int>(team), words_)) << team;
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
  EXPECT_LE(ahead, UnaskedBytes::kMost);
  const std::size_t each = part <= Outgoing::kMostAhead ? part : Outgoing::kFirst;
  EXPECT_GT(ahead, UnaskedBytes::kMost - UnaskedBytes::kTold - each);
  for (std::uint64_t i = 0; i < kTeams; ++i) job.Begin(1, team + i, 1);
  (void)job.Carry();
  EXPECT_EQ(job.done(), 4 * kTeams);
}

TEST(StreamedRanks, AMegabyteGoesAheadOfARankInWhicheverOrderOperationsBegin) {
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

TEST(StreamedRanks, OperationsThatFailTakeNothingOfTheWindow) {
  RootAndLeaf job(Outgoing::kMostAhead, false);
  for (std::uint64_t team = 1; team <= kTeams; ++team) {
    job.Begin(0, team);
    if (team % 2 == 0) (void)job.Carry();
    job.Begin(1, team);
    job.FailOnLeaf(team);
    (void)job.Carry();
  }
  for (std::uint64_t team = kTeams + 1; team <= 2 * kTeams; ++team) job.Begin(0, team);
  EXPECT_GT(job.Carry(), UnaskedBytes::kMost - UnaskedBytes::kTold - Outgoing::kMostAhead);
}

TEST(StreamedRanks, AnyOrderOfPiecesGivesTheSameResults) { RunJobs(150, false); }

TEST(StreamedRanks, ARankThatGivesUpSpoilsNoOtherResult) { RunJobs(60, true); }

}  // namespace
}  // namespace llcl
