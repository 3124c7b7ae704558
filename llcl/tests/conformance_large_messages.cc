// Messages that the receiver reads from the sender's memory, with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

constexpr HandlerId kTake{0}, kAsk{1}, kAnswer{2};
constexpr std::uint64_t kSizes[] = {4089, 64 * 1024, 256 * 1024, 256 * 1024 + 1, 1'500'000};

// A word, and bytes that follow from it.
std::vector<std::byte> PayloadOf(std::uint64_t word, std::uint64_t bytes) {
  std::vector<std::byte> payload(bytes);
  for (std::uint64_t i = 8; i < bytes; ++i) payload[i] = static_cast<std::byte>(word + i * 13);
  std::memcpy(payload.data(), &word, 8);
  return payload;
}
std::uint64_t WordOf(std::span<const std::byte> payload) {
  std::uint64_t word = 0;
  std::memcpy(&word, payload.data(), 8);
  return word;
}
bool IsWhole(std::span<const std::byte> payload) {
  const std::vector<std::byte> expected = PayloadOf(WordOf(payload), payload.size());
  return std::memcmp(payload.data(), expected.data(), payload.size()) == 0;
}

// What has come to a rank.
struct State {
  std::atomic<std::uint64_t> messages{0}, answers{0}, bytes{0}, words{0}, wrong{0};
};

class MessagesOfAnySize : public Conformance {
 protected:
  // Each rank gets a State and handlers over it.
  void RunWith(const std::function<void(Member&, State&)>& f, const EndpointOptions& options = {}) {
    std::vector<std::unique_ptr<State>> states;
    for (int rank = 0; rank < GetParam().ranks; ++rank) states.push_back(std::make_unique<State>());
    const auto state_of = [&](int rank) -> State& {
      return *states[static_cast<std::size_t>(rank)];
    };
    Run([&](Member& member) { f(member, state_of(member.rank())); },
        [&](int rank) {
          State& state = state_of(rank);
          const auto take = [&state](const Message& message) {
            state.wrong += IsWhole(message.payload()) ? 0 : 1;
            state.words += WordOf(message.payload());
            state.bytes += message.payload().size();
          };
          EndpointOptions of_rank = options;
          of_rank.handlers = {[&state, take](Message& message) {
                                take(message);
                                ++state.messages;
                              },
                              // Answers with as many bytes.
                              [&state, take](Message& message) {
                                take(message);
                                const auto answer = PayloadOf(2 * WordOf(message.payload()),
                                                              message.payload().size());
                                if (!message.Reply(kAnswer, answer)) ++state.wrong;
                                if (message.Reply(kAnswer, answer)) ++state.wrong;  // Once only.
                                ++state.messages;
                              },
                              [&state, take](Message& message) {
                                take(message);
                                const std::vector<std::byte> large(5000);
                                if (message.Reply(kTake, large))
                                  ++state.wrong;  // Not to an answer.
                                ++state.answers;
                              }};
          return of_rank;
        });
  }
};

TEST_P(MessagesOfAnySize, ArriveWholeAndOnce) {
  RunWith([&](Member& member, State& state) {
    OnThreads([&](int /*thread*/) {
      std::uint64_t word = 1;
      for (const std::uint64_t bytes : kSizes) {
        const auto payload = PayloadOf(word++, bytes);
        EXPECT_EQ(llcl::Send(member.endpoint(),
                             {.to = Rank{member.next()}, .handler = kTake, .payload = payload}),
                  Outcome::kDone);
      }
    });
    const auto threads = static_cast<std::uint64_t>(GetParam().threads);
    member.WaitFor(state.messages, threads * std::size(kSizes));
    EXPECT_EQ(state.words, threads * 15);
    EXPECT_EQ(state.wrong, 0u);
    member.Barrier();
    EXPECT_EQ(state.messages, threads * std::size(kSizes));
  });
}

// All is copied at once: the payload goes right after the request.
TEST_P(MessagesOfAnySize, AreAnsweredByLargeOnesThoughEverybodyAsksAndThereIsLittleRoom) {
  EndpointOptions options;
  options.large_bytes = 300'000;
  options.credits = 4;
  RunWith(
      [&](Member& member, State& state) {
        constexpr std::uint64_t kEach = 12;
        std::atomic<std::uint64_t> sent{0};
        OnThreads([&](int thread) {
          for (std::uint64_t i = 0; i < kEach; ++i) {
            const auto payload = PayloadOf(1, 5000 + i * 7000 + static_cast<std::uint64_t>(thread));
            sent += payload.size();
            member.Post([&] {
              return member.endpoint().TrySend(
                  {.to = Rank{member.next()}, .handler = kAsk, .payload = payload});
            });
          }
        });
        const auto each = kEach * static_cast<std::uint64_t>(GetParam().threads);
        member.WaitFor(state.answers, each);
        member.WaitFor(state.messages, each);
        EXPECT_EQ(state.words, 3 * each);
        EXPECT_EQ(state.bytes, 2 * sent);
        EXPECT_EQ(state.wrong, 0u);
        member.Barrier();
      },
      options);
}

TEST_P(MessagesOfAnySize, FollowWhatWasWritten) {
  RunWith([&](Member& member, State& state) {
    const Region mine = member.Allocate(8);
    const auto all = member.Exchange(mine);
    std::vector<std::uint64_t> value = {77};
    const Region from = member.Register(value);
    const auto payload = PayloadOf(5, 100'000);
    Flag both;
    member.Post([&] {
      return member.endpoint().TryWriteThenSend(
          {.from = {from.local()},
           .to = {all[static_cast<std::size_t>(member.next())]},
           .bytes = 8},
          {.to = Rank{member.next()},
           .handler = kTake,
           .payload = payload,
           .then = both.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(both), Outcome::kDone);
    member.WaitFor(state.messages, 1);
    member.Barrier();
    EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(mine.local().start), 77u);
    EXPECT_EQ(state.wrong, 0u);
    member.Barrier();
  });
}

// More often than there are credits and slots: what a refused write leaves is taken back.
TEST_P(MessagesOfAnySize, AreNotSentWhereTheWriteBeforeThemIsRefused) {
  RunWith([&](Member& member, State& state) {
    std::optional<Region> mine = member.Allocate(64);
    const auto all = member.Exchange(*mine);
    member.Barrier();
    mine.reset();
    member.Barrier();
    std::vector<std::uint64_t> values(8);
    const Region from = member.Register(values);
    const auto payload = PayloadOf(5, 5000);
    for (int i = 0; i < 300; ++i) {
      Flag both;
      member.Post([&] {
        return member.endpoint().TryWriteThenSend(
            {.from = {from.local()},
             .to = {all[static_cast<std::size_t>(member.next())]},
             .bytes = 64},
            {.to = Rank{member.next()},
             .handler = kTake,
             .payload = payload,
             .then = both.completion()});
      });
      EXPECT_EQ(member.endpoint().Wait(both), Outcome::kRefused);
    }
    member.Barrier();
    EXPECT_EQ(state.messages, 0u);
  });
}

TEST_P(MessagesOfAnySize, OfMoreThanThereIsMemoryForAreRefused) {
  EndpointOptions options;
  options.large_bytes = 100'000;
  RunWith(
      [&](Member& member, State& state) {
        const auto most = PayloadOf(1, options.large_bytes);
        const auto more = PayloadOf(1, options.large_bytes + 1);
        const SendParams params = {.to = Rank{member.next()}, .handler = kTake, .payload = more};
        EXPECT_EQ(member.endpoint().TrySend(params), Posted::kTooLong);
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(llcl::Send(member.endpoint(),
                               {.to = Rank{member.next()}, .handler = kTake, .payload = most}),
                    Outcome::kDone);
        }
        member.WaitFor(state.messages, 3);
        member.Barrier();
      },
      options);
}

INSTANTIATE_TEST_SUITE_P(Conduit, MessagesOfAnySize, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
