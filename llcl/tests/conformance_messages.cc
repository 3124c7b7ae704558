// Active messages, and what follows a write, with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

template <typename T>
std::span<const std::byte> BytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
std::uint64_t WordIn(std::span<const std::byte> payload, std::size_t index = 0) {
  std::uint64_t word = 0;
  std::memcpy(&word, payload.data() + index * 8, sizeof word);
  return word;
}

constexpr HandlerId kAdd{0}, kAsk{1}, kAnswer{2};

// What messages do to a rank.
struct State {
  std::atomic<std::uint64_t> sum{0}, messages{0}, answers{0}, wrong{0};
};

EndpointOptions OneCredit() {
  EndpointOptions options;
  options.credits = 1;
  return options;
}

class Messages : public Conformance {
 protected:
  // Each rank gets a State and handlers over it.
  void RunWith(const std::function<void(Member&, State&)>& f, EndpointOptions options = {}) {
    std::vector<std::unique_ptr<State>> states;
    for (int rank = 0; rank < GetParam().ranks; ++rank) states.push_back(std::make_unique<State>());
    const auto state_of = [&](int rank) -> State& {
      return *states[static_cast<std::size_t>(rank)];
    };
    Run([&](Member& member) { f(member, state_of(member.rank())); },
        [&](int rank) {
          State* const state = &state_of(rank);
          EndpointOptions of_rank = options;
          of_rank.handlers = {[state](Message& message) {
                                state->sum += WordIn(message.payload());
                                ++state->messages;
                              },
                              // Answers with twice the number.
                              [state](Message& message) {
                                const std::uint64_t twice = 2 * WordIn(message.payload());
                                if (!message.Reply(kAnswer, BytesOf(twice))) ++state->wrong;
                                if (message.Reply(kAnswer, BytesOf(twice)))
                                  ++state->wrong;  // Once only.
                              },
                              [state](Message& message) {
                                state->sum += WordIn(message.payload());
                                if (message.Reply(kAdd, {})) ++state->wrong;  // Not to an answer.
                                ++state->answers;
                              }};
          return of_rank;
        });
  }
};

TEST_P(Messages, EachArrivesOnceAtItsHandler) {
  RunWith([&](Member& member, State& state) {
    constexpr std::uint64_t kEach = 500;
    OnThreads([&](int /*thread*/) {
      for (std::uint64_t i = 1; i <= kEach; ++i) {
        for (int to = 0; to < member.size(); ++to) {
          member.Post([&] {
            return member.endpoint().TrySend(
                {.to = Rank{to}, .handler = kAdd, .payload = BytesOf(i)});
          });
        }
      }
    });
    const auto senders = static_cast<std::uint64_t>(member.size() * GetParam().threads);
    member.WaitFor(state.messages, senders * kEach);
    EXPECT_EQ(state.sum, senders * kEach * (kEach + 1) / 2);
    member.Barrier();
    EXPECT_EQ(state.messages, senders * kEach);
  });
}

TEST_P(Messages, AreAnsweredThoughEverybodyAsksWithOneCredit) {
  RunWith(
      [&](Member& member, State& state) {
        constexpr std::uint64_t kEach = 200;
        OnThreads([&](int /*thread*/) {
          for (std::uint64_t i = 1; i <= kEach; ++i) {
            member.Post([&] {
              return member.endpoint().TrySend(
                  {.to = Rank{member.next()}, .handler = kAsk, .payload = BytesOf(i)});
            });
          }
        });
        const auto asked = kEach * static_cast<std::uint64_t>(GetParam().threads);
        member.WaitFor(state.answers, asked);
        EXPECT_EQ(state.sum, asked * (kEach + 1));
        EXPECT_EQ(state.wrong, 0u);
        member.Barrier();
      },
      OneCredit());
}

TEST_P(Messages, OfTheLargestSizeThatTravelsWholeAndOfNoneArriveWhole) {
  std::atomic<std::uint64_t> right{0}, empty{0};
  EndpointOptions options;
  options.handlers = {[&](Message& message) {
    const auto bytes = message.payload();
    if (bytes.empty()) {
      ++empty;
      return;
    }
    bool is_right = bytes.size() == Messenger::kMostPayload;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      is_right = is_right && bytes[i] == static_cast<std::byte>(i * 13);
    }
    right += is_right ? 1 : 0;
  }};
  const std::function<void(Member&)> rank = [&](Member& member) {
    std::vector<std::byte> payload(Messenger::kMostPayload);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i * 13);
    for (int i = 0; i < 100; ++i) {
      for (const auto& bytes :
           {std::span<const std::byte>(payload), std::span<const std::byte>()}) {
        member.Post([&] {
          return member.endpoint().TrySend(
              {.to = Rank{member.next()}, .handler = HandlerId{0}, .payload = bytes});
        });
      }
    }
    const auto in_this_process = static_cast<std::uint64_t>(RanksOfThisProcess(member.size()));
    member.WaitFor(right, 100 * in_this_process);
    member.WaitFor(empty, 100 * in_this_process);
    EXPECT_EQ(member.endpoint().TrySend({.to = Rank{0}, .handler = HandlerId{1}}),
              Posted::kBadRange);
    EXPECT_EQ(member.endpoint().TrySend({.to = Rank{member.size()}}), Posted::kBadRange);
    EXPECT_EQ(member.endpoint().TrySend({.to = Rank{-1}}), Posted::kBadRange);
    member.Barrier();
  };
  Run(rank, options);
}

TEST_P(Messages, ASignalComesAfterWhatWasWritten) {
  RunWith([&](Member& member, State& state) {
    constexpr std::size_t kWords = 2000;
    const auto threads = static_cast<std::size_t>(GetParam().threads);
    // The first words are signals, one for each thread.
    const Region mine = member.Allocate((threads + threads * kWords) * 8);
    const auto all = member.Exchange(mine);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    auto* const words = reinterpret_cast<std::uint64_t*>(mine.local().start);
    OnThreads([&](int thread) {
      const auto own = static_cast<std::size_t>(thread);
      std::vector<std::uint64_t> values(kWords);
      const Region from = member.Register(values);
      for (std::uint64_t round = 1; round <= 20; ++round) {
        std::fill(values.begin(), values.end(), round);
        Flag written, both;
        member.Post([&] {
          return member.endpoint().TryWriteThenAtomic<std::uint64_t>(
              {.from = {from.local()},
               .to = there + (threads + own * kWords) * 8,
               .bytes = kWords * 8,
               .then = written.completion()},
              {.target = there + own * 8, .operand = 1, .then = both.completion()});
        });
        EXPECT_EQ(member.endpoint().Wait(both), Outcome::kDone);
        EXPECT_TRUE(written.done());
        // The same has come from the other side, or comes.
        std::atomic_ref<std::uint64_t> signal(words[own]);
        while (signal.load(std::memory_order_acquire) < round) {
          if (!member.endpoint().TryAdvance()) std::this_thread::yield();
        }
        EXPECT_EQ(words[threads + own * kWords], round);
        EXPECT_EQ(words[threads + (own + 1) * kWords - 1], round);
        // No thread overwrites words before they were checked: a field of the sum for each thread.
        const std::uint64_t seen = std::uint64_t{1} << (16 * own);
        member.Post([&] {
          return member.endpoint().TrySend(
              {.to = Rank{(member.rank() + member.size() - 1) % member.size()},
               .handler = kAdd,
               .payload = BytesOf(seen)});
        });
        while ((state.sum >> (16 * own) & 0xffff) < round) {
          if (!member.endpoint().TryAdvance()) std::this_thread::yield();
        }
      }
    });
    member.Barrier();
  });
}

TEST_P(Messages, AMessageComesAfterWhatWasWritten) {
  std::atomic<std::uint64_t> right{0}, messages{0};
  // By rank. Atomic: ThreadSanitizer does not see how ranks order each other.
  std::vector<std::atomic<const std::uint64_t*>> words(static_cast<std::size_t>(GetParam().ranks));
  Run(
      [&](Member& member) {
        constexpr std::size_t kBytes = 20'000;
        const auto threads = static_cast<std::size_t>(GetParam().threads);
        const Region mine = member.Allocate(threads * kBytes);
        words[static_cast<std::size_t>(member.rank())] =
            reinterpret_cast<const std::uint64_t*>(mine.local().start);
        const auto all = member.Exchange(mine);
        const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
        OnThreads([&](int thread) {
          std::vector<std::uint64_t> values(kBytes / 8, 77);
          const Region from = member.Register(values);
          const std::uint64_t index = static_cast<std::uint64_t>(thread + 1) * (kBytes / 8) - 1;
          Flag both;
          member.Post([&] {
            return member.endpoint().TryWriteThenSend(
                {.from = {from.local()},
                 .to = there + static_cast<std::uint64_t>(thread) * kBytes,
                 .bytes = kBytes},
                {.to = Rank{member.next()},
                 .handler = HandlerId{0},
                 .payload = BytesOf(index),
                 .then = both.completion()});
          });
          EXPECT_EQ(member.endpoint().Wait(both), Outcome::kDone);
        });
        member.WaitFor(messages,
                       threads * static_cast<std::size_t>(RanksOfThisProcess(member.size())));
        EXPECT_EQ(right, messages);
        member.Barrier();
      },
      [&](int rank) {
        EndpointOptions options;
        options.handlers = {[&, rank](Message& message) {
          const std::uint64_t word =
              words[static_cast<std::size_t>(rank)][WordIn(message.payload())];
          right += word == 77 ? 1 : 0;
          ++messages;
        }};
        return options;
      });
}

TEST_P(Messages, ARefusedWriteCompletesBothAndSendsNothing) {
  RunWith([&](Member& member, State& state) {
    std::optional<Region> mine = member.Allocate(64);
    const auto all = member.Exchange(*mine);
    member.Barrier();
    mine.reset();
    member.Barrier();
    std::vector<std::uint64_t> values(8);
    const Region from = member.Register(values);
    Flag written, both;
    const std::uint64_t one = 1;
    member.Post([&] {
      return member.endpoint().TryWriteThenSend(
          {.from = {from.local()},
           .to = {all[static_cast<std::size_t>(member.next())]},
           .bytes = 64,
           .then = written.completion()},
          {.to = Rank{member.next()},
           .handler = kAdd,
           .payload = BytesOf(one),
           .then = both.completion()});
    });
    EXPECT_EQ(member.endpoint().Wait(both), Outcome::kRefused);
    EXPECT_EQ(member.endpoint().Wait(written), Outcome::kRefused);
    member.Barrier();
    EXPECT_EQ(state.messages, 0u);
  });
}

INSTANTIATE_TEST_SUITE_P(Conduit, Messages, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
