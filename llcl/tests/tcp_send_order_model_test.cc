// llcl/tcp/send_order.h's own code in every state that events can bring it to, in any order:
// commands of this rank, reads and answers of the other rank, polls, releases, and sends that end
// well or find no room; frames of streams, which go out of turn. At most two commands of a kind
// wait, two reads, and three requests that were not sent; near the bound of requests and far from
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "llcl/tcp/send_order.h"

namespace llcl {
namespace {

constexpr std::uint64_t kMessage = 64 << 10, kSmallRead = 4096, kLargeRead = 256 << 10;
constexpr std::uint64_t kPiece = 128 << 10;
constexpr std::size_t kMostWaiting = 2;

// The queues around an order, as TcpSender has them.
struct World {
  TcpSendOrder order;
  std::size_t waiting_requests = 0, waiting_messages = 0;
  std::vector<std::uint64_t> reads;  // bytes that are left of each
  std::uint64_t message_bytes = 0, answer_bytes = 0;
  bool has_gathered = false;
  std::size_t asked = 0, untried = 0;  // requests: that have not ended, and that were not sent
  bool is_refused = false;             // large reads are: their region is gone
  bool is_gone = false;                // the connection takes no more
  std::string fault;

  TcpQueues Queues() const {
    return {.has_request = waiting_requests > 0,
            .has_message = waiting_messages > 0,
            .has_read = !reads.empty(),
            .has_gathered = has_gathered,
            .read_bytes = reads.empty() ? 0 : reads.front(),
            .message_bytes = message_bytes,
            .answer_bytes = answer_bytes};
  }
  void Require(bool holds, const char* rule) {
    if (!holds && fault.empty()) fault = rule;
  }
  void Add(TcpPiece piece) {
    has_gathered = true;
    if (piece == TcpPiece::kRequest) {
      --waiting_requests;
      ++asked;
      ++untried;
      order.OnRequest();
    } else if (piece == TcpPiece::kMessage) {
      --waiting_messages;
      message_bytes += kMessage;
    } else {
      answer_bytes += reads.front();
      reads.erase(reads.begin());
      order.Add();
    }
  }
  // Of a request that is done or refused at once.
  void AddAnswer() {
    has_gathered = true;
    order.Add();
  }
  // `results`: of the sends; the last stands for all that follow.
  void Turn(const std::vector<TcpSent>& results) {
    if (is_gone) return order.Stop();
    int sends = 0;
    order.Turn([&] { return Queues(); }, [&](TcpPiece piece) { Add(piece); },
               [&](TcpPiece piece) {
                 Require(piece >= TcpPiece::kLargeRead && piece != TcpPiece::kNone,
                         "a send of bytes");
                 untried = 0;
                 if (piece == TcpPiece::kLargeRead) {
                   const std::uint64_t some = std::min(reads.front(), kPiece);
                   answer_bytes += some;
                   has_gathered = true;
                   if ((reads.front() -= some) == 0) reads.erase(reads.begin());
                   if (is_refused) AddAnswer();
                 }
                 const TcpSent sent = results[std::min<std::size_t>(sends++, results.size() - 1)];
                 if (sent == TcpSent::kSent) {
                   has_gathered = false;
                   message_bytes = answer_bytes = 0;
                 }
                 is_gone |= sent == TcpSent::kGone;
                 return sent;
               });
    untried = 0;
    Require(sends <= TcpSendOrder::kMostSends, "a turn sends a bounded number of times");
  }
  // A frame of a stream, behind the gathered bytes.
  void Stream(TcpSent sent) {
    has_gathered = true;
    if (order.waits_for_room()) return;
    untried = 0;
    has_gathered = sent != TcpSent::kSent;
    if (sent == TcpSent::kSent) message_bytes = answer_bytes = 0;
    is_gone |= sent == TcpSent::kGone;
    order.OnStreamed(sent);
  }
  void PostRequest() {
    order.Add();
    ++waiting_requests;
    if (order.Next({.has_request = waiting_requests == 1}) == TcpPiece::kRequest) {
      Add(TcpPiece::kRequest);
    }
  }
  void PostMessage() {
    order.Add();
    ++waiting_messages;
    if (order.Next({.has_message = waiting_messages == 1, .message_bytes = message_bytes}) ==
        TcpPiece::kMessage) {
      Add(TcpPiece::kMessage);
    }
  }
  void TakeRead(std::uint64_t bytes) {
    reads.push_back(bytes);
    order.Add();
  }
  void EndOne() {
    --asked;
    order.OnEnd();
    if (waiting_requests + waiting_messages > 0) order.Add();
  }

  void Check() {
    const bool waits = order.waits_for_poll() || order.waits_for_room();
    Require(is_gone || waits || order.Next(Queues()) == TcpPiece::kNone,
            "a piece that may go has its turn");
    Require(!is_gone || !order.waits_for_room(), "nothing waits for room that never comes");
    Require(asked <= kMostAsked, "requests are bounded");
    Require(message_bytes < kMostOutput + kMessage, "messages on their way are bounded");
    Require(answer_bytes < kMostOutput + kPiece, "answers on their way are bounded");
    Require(!order.waits_for_poll() || order.IsReleased() || asked > untried,
            "only an awaited answer holds bytes");
    Require(order.MayRequest() == (asked < kMostAsked), "requests are counted");
  }
  std::string Key() const {
    std::string key;
    for (const std::uint64_t part :
         {std::uint64_t(order.phase()), std::uint64_t(waiting_requests),
          std::uint64_t(waiting_messages), message_bytes, answer_bytes, std::uint64_t(has_gathered),
          std::uint64_t(asked), std::uint64_t(untried), std::uint64_t(is_refused),
          std::uint64_t(is_gone)}) {
      key += std::to_string(part) + ' ';
    }
    for (const std::uint64_t bytes : reads) key += std::to_string(bytes) + ' ';
    return key;
  }
};

// The least and the most requests that have not ended.
struct Asked {
  std::size_t least = 0, most = 0;
};

// All worlds that one event makes of `world`.
std::vector<World> After(const World& world, const Asked& bounds) {
  std::vector<World> all;
  const auto add = [&](const std::function<void(World&)>& event) {
    World next = world;
    event(next);
    next.Check();
    all.push_back(next);
  };
  if (world.waiting_requests < kMostWaiting && world.asked < bounds.most && world.untried < 3) {
    add(&World::PostRequest);
  }
  if (world.waiting_messages < kMostWaiting) add(&World::PostMessage);
  if (world.reads.size() < 2) {
    for (const std::uint64_t bytes : {kSmallRead, kLargeRead}) {
      add([bytes](World& next) { next.TakeRead(bytes); });
    }
  }
  if (world.asked > std::max(world.untried, bounds.least)) add(&World::EndOne);
  add(&World::AddAnswer);
  add([](World& next) { next.is_refused = !next.is_refused; });
  if (!world.is_gone) {
    for (const TcpSent sent : {TcpSent::kSent, TcpSent::kBlocked, TcpSent::kGone}) {
      add([sent](World& next) { next.Stream(sent); });
    }
  }
  const bool has_turn = world.order.waits_for_room() || world.order.waits_for_poll();
  if (!has_turn) return all;
  using enum TcpSent;
  for (const std::vector<TcpSent>& results :
       std::vector<std::vector<TcpSent>>{{kBlocked},
                                         {kSent, kBlocked},
                                         {kSent, kSent, kBlocked},
                                         {kSent},
                                         {kGone},
                                         {kSent, kGone}}) {
    add([&](World& next) { next.Turn(results); });
  }
  return all;
}

// A connection that takes all, and a rank that answers all but `least`: nothing is left after some
// polls.
void ExpectEmptied(World world, std::size_t least) {
  for (int polls = 0; polls < 20; ++polls) {
    if (world.order.waits_for_poll() || world.order.waits_for_room()) world.Turn({TcpSent::kSent});
    while (world.asked > std::max(world.untried, least)) world.EndOne();
  }
  if (world.is_gone) {
    EXPECT_FALSE(world.order.waits_for_poll()) << world.Key();
    return;
  }
  EXPECT_EQ(world.order.Next(world.Queues()), TcpPiece::kNone) << world.Key();
  EXPECT_EQ(world.waiting_requests + world.waiting_messages + world.reads.size(), 0u)
      << world.Key();
}

void ExploreFrom(const World& first, const Asked& bounds, std::size_t least_states) {
  std::deque<World> left = {first};
  std::set<std::string> seen = {first.Key()};
  while (!left.empty()) {
    const World world = left.front();
    left.pop_front();
    ExpectEmptied(world, bounds.least);
    for (const World& next : After(world, bounds)) {
      ASSERT_EQ(next.fault, "") << "from " << world.Key() << "to " << next.Key();
      if (seen.insert(next.Key()).second) left.push_back(next);
    }
  }
  EXPECT_GT(seen.size(), least_states);
}

TEST(TcpSendOrderModel, FarFromTheBoundOfRequests) { ExploreFrom({}, {0, 2}, 50'000); }

TEST(TcpSendOrderModel, AtTheBoundOfRequests) {
  World world;
  while (world.asked < kMostAsked - 1) {
    world.PostRequest();
    world.Turn({TcpSent::kSent});
  }
  ASSERT_EQ(world.fault, "");
  ExploreFrom(world, {kMostAsked - 2, kMostAsked + 1}, 200'000);
}

// The first piece that is not ready lets the next kind go.
TEST(TcpSendOrder, TheTableOfPieces) {
  const TcpSendOrder order;
  TcpQueues queues = {.has_request = true,
                      .has_message = true,
                      .has_read = true,
                      .has_gathered = true,
                      .read_bytes = kMostCopied};
  EXPECT_EQ(order.Next(queues), TcpPiece::kRequest);
  queues.has_request = false;
  EXPECT_EQ(order.Next(queues), TcpPiece::kMessage);
  queues.message_bytes = kMostOutput;
  EXPECT_EQ(order.Next(queues), TcpPiece::kSmallRead);
  ++queues.read_bytes;
  EXPECT_EQ(order.Next(queues), TcpPiece::kLargeRead);
  queues.answer_bytes = kMostOutput;
  EXPECT_EQ(order.Next(queues), TcpPiece::kGathered);
  queues.has_gathered = false;
  EXPECT_EQ(order.Next(queues), TcpPiece::kNone);
}

TEST(TcpSendOrder, ManyBytesAreDueAtOnceUnlessTheConnectionHasNoRoom) {
  TcpSendOrder order;
  EXPECT_FALSE(order.IsDueAt(kSentAtOnce - 1));
  EXPECT_TRUE(order.IsDueAt(kSentAtOnce));
  order.Turn([] { return TcpQueues{.has_gathered = true}; }, [](TcpPiece) {},
             [](TcpPiece) { return TcpSent::kBlocked; });
  EXPECT_FALSE(order.IsDueAt(kSentAtOnce));
}

TEST(TcpSendOrder, ARequestIsHeldWhileAnAnswerIsAwaited) {
  TcpSendOrder order;
  const auto send = [&] {
    bool has_gathered = true;
    order.Turn([&] { return TcpQueues{.has_gathered = has_gathered}; }, [](TcpPiece) {},
               [&](TcpPiece) {
                 has_gathered = false;
                 return TcpSent::kSent;
               });
  };
  order.Add();
  order.OnRequest();
  EXPECT_TRUE(order.IsReleased());
  send();
  EXPECT_EQ(order.phase(), TcpSendOrder::Phase::kIdle);
  order.Add();
  order.OnRequest();
  EXPECT_TRUE(order.waits_for_poll());
  EXPECT_FALSE(order.IsReleased());
  order.OnEnd();
  EXPECT_TRUE(order.IsReleased());
}

}  // namespace
}  // namespace llcl
