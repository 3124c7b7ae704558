// A rank of a test of the program's own messages in a space, with the engine of its argument: all
// ranks of a job that llclrun started run each test.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "dsm/dsm.h"
#include "dsm/tests/engine_named.h"
#include "llcl/llcl.h"

namespace dsm {
namespace {

// The indices of the handlers.
enum : std::size_t { kAdd, kDouble, kDoubled, kAddAtHome, kSumForMe, kSum, kHandlers };

// The payload of a message.
struct Word {
  std::uint64_t index = 0, value = 0;
};

// What the handlers of this rank have heard: from before the space, as they may run before Join
// returns.
struct Heard {
  std::atomic<std::uint64_t> messages{0}, sum{0}, answers{0}, answered{0};
  std::atomic<std::uint64_t*> words{nullptr};  // at home here
};
Heard heard;

// Ranks that ask for a sum, which a thread makes.
class Askers {
 public:
  void Add(int rank) {
    const std::lock_guard lock(mutex_);
    ranks_.push_back(rank);
    changed_.notify_one();
  }
  int Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ranks_.empty(); });
    const int rank = ranks_.front();
    ranks_.pop_front();
    return rank;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> ranks_;
};
Askers askers;

std::unique_ptr<Space> space;

Word WordIn(const llcl::Message& message) {
  Word word;
  std::memcpy(&word, message.payload().data(), sizeof word);
  return word;
}
std::span<const std::byte> BytesOf(const Word& word) { return std::as_bytes(std::span(&word, 1)); }

void Count(std::uint64_t value) {
  heard.sum.fetch_add(value);
  heard.messages.fetch_add(1, std::memory_order_release);
}
void Answered(llcl::Message& message) {
  heard.answered.fetch_add(WordIn(message).value);
  heard.answers.fetch_add(1, std::memory_order_release);
}

std::vector<llcl::Handler> Handlers() {
  std::vector<llcl::Handler> handlers(kHandlers);
  handlers[kAdd] = [](llcl::Message& message) { Count(WordIn(message).value); };
  handlers[kDouble] = [](llcl::Message& message) {
    const Word doubled = {.value = 2 * WordIn(message).value};
    EXPECT_TRUE(message.Reply(Space::HandlerOf(kDoubled), BytesOf(doubled)));
  };
  handlers[kDoubled] = Answered;
  handlers[kAddAtHome] = [](llcl::Message& message) {
    const Word word = WordIn(message);
    std::atomic_ref(heard.words.load()[word.index]).fetch_add(word.value);
    Count(word.value);
  };
  handlers[kSumForMe] = [](llcl::Message& message) { askers.Add(ToInt(message.from())); };
  handlers[kSum] = Answered;
  return handlers;
}

void Send(int to, std::size_t handler, const Word& word) {
  llcl::Endpoint& endpoint = space->endpoint();
  EXPECT_EQ(endpoint.KeepTrying([&] {
    return endpoint.TrySend(
        {.to = llcl::Rank{to}, .handler = Space::HandlerOf(handler), .payload = BytesOf(word)});
  }),
            llcl::Posted::kPosted);
}
void WaitFor(const std::atomic<std::uint64_t>& count, std::uint64_t expected) {
  while (count.load(std::memory_order_acquire) < expected) {
    if (!space->endpoint().TryAdvance()) std::this_thread::yield();
  }
}
void Meet() { ASSERT_EQ(space->Barrier(Consistency::kFlush), absl::OkStatus()); }
std::uint64_t Ranks() { return static_cast<std::uint64_t>(space->ranks()); }
std::uint64_t Mine() { return static_cast<std::uint64_t>(space->rank()); }
std::span<std::uint64_t> Words(std::uint64_t count) {
  const auto memory = space->Allocate({{count}, 8}, Block{.count = space->ranks()});
  EXPECT_TRUE(memory.ok()) << memory.status();
  return {reinterpret_cast<std::uint64_t*>(memory->data()), count};
}
void ForgetWhatWasHeard() {
  heard.messages = heard.sum = heard.answers = heard.answered = 0;
  Meet();
}

TEST(Handlers, EachMessageGoesToTheHandlerOfItsIndex) {
  ForgetWhatWasHeard();
  for (int to = 0; to < space->ranks(); ++to) {
    for (std::uint64_t i = 1; i <= 100; ++i) {
      Send(to, kAdd, {.value = i});
      Send(to, kDouble, {.value = i});
    }
  }
  WaitFor(heard.messages, 100 * Ranks());
  WaitFor(heard.answers, 100 * Ranks());
  EXPECT_EQ(heard.sum, 5050 * Ranks());
  EXPECT_EQ(heard.answered, 2 * 5050 * Ranks());
  Meet();
}

TEST(Handlers, AMessageForAHandlerThatThereIsNotIsRefused) {
  for (const std::size_t index : {std::size_t{kHandlers}, std::size_t{1} << 16, ~std::size_t{0}}) {
    EXPECT_EQ(space->endpoint().TrySend({.to = llcl::Rank{0}, .handler = Space::HandlerOf(index)}),
              llcl::Posted::kBadRange)
        << index;
  }
}

// In rounds, so that homes watch the pages that other ranks have, and the handlers' writes fault.
TEST(Handlers, OtherRanksSeeWhatAHandlerWroteAtHomeBehindTheNextFlush) {
  const std::uint64_t count = 4 * 512 * Ranks(), each = count / Ranks();
  const auto words = Words(count);
  ForgetWhatWasHeard();
  heard.words = words.data();
  Meet();
  constexpr std::uint64_t kRounds = 8;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    for (std::uint64_t index = Mine(); index < count; index += 64) {
      Send(static_cast<int>(index / each), kAddAtHome, {.index = index, .value = round});
    }
    WaitFor(heard.messages, round * each / 64 * Ranks());
    Meet();
    for (std::uint64_t index = 0; index < count; ++index) {
      const bool is_added = index % 64 < Ranks();
      ASSERT_EQ(words[index], is_added ? round * (round + 1) / 2 : 0) << index;
    }
    Meet();
  }
}

// Ranks begin the program's operations and the space's in different orders.
TEST(Handlers, TheSpaceHasATeamOfItsOwn) {
  const auto words = Words(64 * 512);
  llcl::Team& world = space->endpoint().world();
  for (std::uint64_t round = 1; round <= 20; ++round) {
    const std::array<std::uint64_t, 1> mine = {round + Mine()};
    std::array<std::uint64_t, 1> sum = {};
    llcl::Flag summed;
    const auto begin = [&] {
      ASSERT_EQ(
          world.TryAllreduce<std::uint64_t>(mine, sum, llcl::AtomicOp::kAdd, summed.completion()),
          llcl::Posted::kPosted);
    };
    const bool is_first = (Mine() + round) % 2 == 0;
    if (is_first) begin();
    words[Mine() * 8 + round % 8] = round;
    Meet();
    if (!is_first) begin();
    ASSERT_EQ(space->endpoint().Wait(summed), llcl::Outcome::kDone) << world.disagreement();
    EXPECT_EQ(sum[0], Ranks() * round + Ranks() * (Ranks() - 1) / 2);
    EXPECT_EQ(words[(Ranks() - 1) * 8 + round % 8], round);
    Meet();
  }
}

TEST(Handlers, TeamsRegionsAndAggregatorsAreMadeOnTheSpacesEndpoint) {
  llcl::Endpoint& endpoint = space->endpoint();
  std::vector<int> colors(Ranks());
  for (std::size_t rank = 0; rank < colors.size(); ++rank) colors[rank] = rank % 2 == 0 ? 0 : 1;
  llcl::Team half = endpoint.world().Split(colors);
  llcl::Flag met;
  ASSERT_EQ(half.TryBarrier(met.completion()), llcl::Posted::kPosted);
  EXPECT_EQ(endpoint.Wait(met), llcl::Outcome::kDone);

  const auto region = endpoint.Allocate(8);
  ASSERT_TRUE(region.ok()) << region.status();
  const std::uint64_t own = 100 + Mine();
  std::memcpy(region->local().start, &own, sizeof own);
  const auto all = llcl::Exchange(endpoint, *region);
  ASSERT_TRUE(all.ok()) << all.status();
  const std::uint64_t next = (Mine() + 1) % Ranks();
  std::uint64_t seen = 0;
  const auto to = endpoint.Register(std::as_writable_bytes(std::span(&seen, 1)));
  ASSERT_TRUE(to.ok()) << to.status();
  llcl::Flag read;
  ASSERT_EQ(endpoint.KeepTrying([&] {
    return endpoint.TryRead({.from = {(*all)[next]},
                             .to = {to->local()},
                             .bytes = sizeof seen,
                             .then = read.completion()});
  }),
            llcl::Posted::kPosted);
  EXPECT_EQ(endpoint.Wait(read), llcl::Outcome::kDone);
  EXPECT_EQ(seen, 100 + next);

  std::atomic<std::uint64_t> sum{0};
  auto records = llcl::Aggregator<std::uint64_t>::Make(
      endpoint, endpoint.world(), [&](std::span<const std::uint64_t> found) {
        sum += std::accumulate(found.begin(), found.end(), std::uint64_t{0});
      });
  ASSERT_TRUE(records.ok()) << records.status();
  for (int rank = 0; rank < space->ranks(); ++rank) {
    for (std::uint64_t i = 1; i <= 1000; ++i) {
      ASSERT_EQ((*records)->Add(rank, i), llcl::Posted::kPosted);
    }
  }
  Meet();  // In the midst of an epoch of the aggregator.
  llcl::Flag ended;
  ASSERT_EQ((*records)->TryFinish(ended.completion()), llcl::Posted::kPosted);
  EXPECT_EQ(endpoint.Wait(ended), llcl::Outcome::kDone);
  EXPECT_EQ(sum, 500'500 * Ranks());
  Meet();
}

// The words of all ranks, of which most pages are absent.
TEST(Handlers, AThreadDoesForAHandlerWhatItMayNotDo) {
  const auto words = Words(16 * 512 * Ranks());
  const std::uint64_t each = words.size() / Ranks();
  for (std::uint64_t i = 0; i < each; ++i) words[Mine() * each + i] = 1;
  ForgetWhatWasHeard();
  std::thread summer([&] {
    for (int asked = 0; asked < space->ranks(); ++asked) {
      const int rank = askers.Next();
      const std::uint64_t sum = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
      Send(rank, kSum, {.value = sum});
    }
  });
  for (int to = 0; to < space->ranks(); ++to) Send(to, kSumForMe, {});
  WaitFor(heard.answers, Ranks());
  EXPECT_EQ(heard.answered, words.size() * Ranks());
  summer.join();
  Meet();
}

}  // namespace
}  // namespace dsm

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto space = dsm::Space::Join({.engine = dsm::EngineNamed(argv[1]), .handlers = dsm::Handlers()});
  if (!space.ok()) {
    std::fprintf(stderr, "%s\n", space.status().ToString().c_str());
    return 1;
  }
  dsm::space = *std::move(space);
  const int result = RUN_ALL_TESTS();
  dsm::space.reset();
  return result;
}
