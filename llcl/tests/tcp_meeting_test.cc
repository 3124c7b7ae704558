#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "llcl/launch/authentication.h"
#include "llcl/launch/launch.h"
#include "llcl/launch/place.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/owned_fd.h"
#include "llcl/tcp/meeting.h"

namespace llcl {
namespace {

// Carries what the threads of a test, a rank each, tell each other.
class Exchange {
 public:
  explicit Exchange(int ranks) : mine_(static_cast<std::size_t>(ranks)) {}

  std::vector<std::string> Allgather(int rank, std::string_view bytes) {
    std::unique_lock lock(mutex_);
    const int round = round_;
    mine_[static_cast<std::size_t>(rank)] = bytes;
    if (++arrived_ == static_cast<int>(mine_.size())) {
      all_ = mine_;
      arrived_ = 0;
      ++round_;
      news_.notify_all();
    }
    news_.wait(lock, [&] { return round_ != round; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<std::string> mine_, all_;
  int arrived_ = 0, round_ = 0;
};

using Met = absl::StatusOr<TcpMet>;

// Between a rank and another: hangs up on its first two calls, and carries the third.
class Relay {
 public:
  explicit Relay(const HostAndPort& to) : to_(to) {
    auto listener = Listen({"127.0.0.1", "0"});
    EXPECT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    sockaddr_in at = {};
    socklen_t length = sizeof at;
    EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &length), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this] { Run(); });
  }
  ~Relay() { thread_.join(); }
  const std::string& address() const { return address_; }
  int calls() const { return calls_; }

 private:
  // Ends with the connection that it carries, or some seconds later where none comes.
  void Run() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    OwnedFd there, here;
    while (calls_ < 3) {
      pollfd called = {listener_.get(), POLLIN, 0};
      if (poll(&called, 1, MillisecondsTo(until)) != 1) return;
      auto caller = Accept(listener_.get());
      if (!caller.ok()) continue;
      if (++calls_ == 3) there = std::move(caller->fd);
    }
    auto dialed = Dial(to_, until);
    if (!dialed.ok()) return;
    here = *std::move(dialed);
    while (Carry(here.get(), there.get()) && Carry(there.get(), here.get())) {
      pollfd any[] = {{here.get(), POLLIN, 0}, {there.get(), POLLIN, 0}};
      (void)poll(any, 2, 1000);
    }
  }
  static bool Carry(int from, int to) {
    char bytes[1024];
    const ssize_t got = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
    return got < 0 || (got > 0 && SendAll(to, {bytes, static_cast<std::size_t>(got)}));
  }

  const HostAndPort to_;
  OwnedFd listener_;
  std::string address_;
  std::atomic<int> calls_{0};
  std::thread thread_;
};

// `look(rank, bytes of all)`: sees what the ranks tell each other, before they go on. `change`:
// makes of it what the ranks but 0 hear.
std::vector<Met> Meet(
    int ranks, int absent, const std::function<void(int, const std::vector<std::string>&)>& look,
    const std::function<std::vector<std::string>(std::vector<std::string>)>& change = {}) {
  Exchange exchange(ranks);
  std::vector<int> hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank);
  std::vector<Met> met(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto launch = MakeUserLaunch(Rank{rank}, ranks, [&, rank](std::string_view mine) {
        auto all = exchange.Allgather(rank, mine);
        look(rank, all);
        if (change && rank != 0) all = change(std::move(all));
        return absl::StatusOr<std::vector<std::string>>(all);
      });
      if (rank == absent) {
        // It says where it is and listens, and never calls nor answers.
        (void)launch->Allgather("");
        (void)launch->Allgather(ToText(ThisPlace()));
        (void)launch->Allgather("127.0.0.1:1");
        return;
      }
      met[static_cast<std::size_t>(rank)] = MeetByTcp(
          *launch, "127.0.0.1", hosts, std::chrono::milliseconds(absent < 0 ? 30'000 : 300));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return met;
}

TEST(TcpMeeting, EachRankHasAConnectionToEachOther) {
  auto met = Meet(4, -1, [](int, const auto&) {});
  for (std::size_t from = 0; from < 4; ++from) {
    ASSERT_TRUE(met[from].ok()) << met[from].status();
    EXPECT_EQ(met[from]->connector, nullptr);
    EXPECT_LT(met[from]->connections[from].get(), 0);
    for (std::size_t to = 0; to < 4; ++to) {
      if (to == from) continue;
      const char said = static_cast<char>(10 * from + to);
      ASSERT_EQ(send(met[from]->connections[to].get(), &said, 1, 0), 1);
    }
  }
  for (std::size_t to = 0; to < 4; ++to) {
    for (std::size_t from = 0; from < 4; ++from) {
      if (to == from) continue;
      pollfd ready = {met[to]->connections[from].get(), POLLIN, 0};
      ASSERT_EQ(poll(&ready, 1, 5000), 1);
      char heard = 0;
      ASSERT_EQ(recv(ready.fd, &heard, 1, 0), 1);
      EXPECT_EQ(heard, static_cast<char>(10 * from + to));
    }
  }
}

// Polls the connectors of all ranks until `is_done`, for some seconds.
template <typename IsDone>
void PollAll(std::vector<Met>& met, IsDone is_done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_done() && std::chrono::steady_clock::now() < until) {
    for (Met& mine : met) {
      const absl::Status polled = mine->connector->Poll(
          [&](Rank rank, OwnedFd fd) {
            OwnedFd& place = mine->connections[static_cast<std::size_t>(ToInt(rank))];
            EXPECT_LT(place.get(), 0) << "met twice";
            place = std::move(fd);
          },
          [](Rank, const std::string& why) { ADD_FAILURE() << why; });
      EXPECT_TRUE(polled.ok()) << polled;
    }
  }
}

TEST(TcpMeeting, OfManyRanksConnectsTheCircleAndTheOthersOnUse) {
  constexpr std::size_t kRanks = 12;
  auto met = Meet(kRanks, -1, [](int, const auto&) {});
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_TRUE(met[rank].ok()) << met[rank].status();
    ASSERT_NE(met[rank]->connector, nullptr);
    const auto& connections = met[rank]->connections;
    const auto first = std::ranges::count_if(connections, [](auto& fd) { return fd.get() >= 0; });
    EXPECT_EQ(first, 6) << "at distances 1, 2 and 4, on both sides";
  }
  const auto has_met = [&](std::size_t from, std::size_t to) {
    return met[from]->connections[to].get() >= 0;
  };
  // Both call at the same time.
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    for (std::int32_t other = 0; other < static_cast<std::int32_t>(kRanks); ++other) {
      if (static_cast<std::size_t>(other) == rank || has_met(rank, static_cast<std::size_t>(other)))
        continue;
      met[rank]->connector->Want(Rank{other}, Deadline::max(), Deadline::max());
    }
  }
  PollAll(met, [&] {
    for (std::size_t from = 0; from < kRanks; ++from) {
      for (std::size_t to = 0; to < kRanks; ++to) {
        if (from != to && !has_met(from, to)) return false;
      }
    }
    return true;
  });
  // By one connection: who sends at one end is heard at the other.
  for (std::size_t from = 0; from < kRanks; ++from) {
    for (std::size_t to = 0; to < kRanks; ++to) {
      if (from == to) continue;
      ASSERT_TRUE(has_met(from, to)) << from << " " << to;
      const char said = static_cast<char>(kRanks * from + to);
      char heard = 0;
      ASSERT_EQ(send(met[from]->connections[to].get(), &said, 1, MSG_NOSIGNAL), 1);
      pollfd ready = {met[to]->connections[from].get(), POLLIN, 0};
      ASSERT_EQ(poll(&ready, 1, 5000), 1);
      ASSERT_EQ(recv(ready.fd, &heard, 1, 0), 1);
      EXPECT_EQ(heard, said);
    }
  }
}

// In a job of nine ranks the ranks at a distance of 3 do not meet at first.
TEST(TcpMeeting, ARankThatHasGoneIsNotReachedAndIsNotWelcome) {
  auto met = Meet(9, -1, [](int, const auto&) {});
  for (const Met& each : met) ASSERT_TRUE(each.ok()) << each.status();
  ASSERT_LT(met[0]->connections[3].get(), 0);
  met[3]->connector->OnGone(Rank{0});
  met[6]->connector->Close();
  std::vector<std::string> why;
  for (const std::int32_t other : {3, 6}) {
    met[0]->connector->Want(Rank{other}, Deadline::max(), Deadline::max());
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (why.size() < 2 && std::chrono::steady_clock::now() < until) {
    for (const std::size_t rank : {0, 3, 6}) {
      (void)met[rank]->connector->Poll(
          [](Rank, OwnedFd) { ADD_FAILURE() << "they meet"; },
          [&](Rank, const std::string& sentence) { why.push_back(sentence); });
    }
  }
  ASSERT_EQ(why.size(), 2u);
  std::ranges::sort(why);
  EXPECT_NE(why[0].find("rank 3 was not reached at 127.0.0.1:"), std::string::npos) << why[0];
  EXPECT_NE(why[0].find("it does not expect this rank"), std::string::npos) << why[0];
  EXPECT_NE(why[1].find("rank 6 was not reached at 127.0.0.1:"), std::string::npos) << why[1];
  EXPECT_NE(why[1].find("refused"), std::string::npos) << why[1];
}

// It is no reason to take another rank for lost.
TEST(TcpMeeting, ARankWithoutADescriptorForACallSaysSoAndCallsAgain) {
  auto met = Meet(9, -1, [](int, const auto&) {});
  for (const Met& each : met) ASSERT_TRUE(each.ok()) << each.status();
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  // The next descriptor, and all below it are in use.
  std::vector<OwnedFd> used;
  do {
    used.emplace_back(dup(0));
    ASSERT_GE(used.back().get(), 0);
  } while (used.back().get() < 200);
  const rlimit none = {.rlim_cur = 150, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Deadline to_connect = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  met[0]->connector->Want(Rank{3}, to_connect, Deadline::max());
  const auto poll_one = [&](std::size_t rank) {
    (void)met[rank]->connector->Poll(
        [&](Rank other, OwnedFd fd) {
          met[rank]->connections[static_cast<std::size_t>(ToInt(other))] = std::move(fd);
        },
        [](Rank, const std::string& why) { ADD_FAILURE() << why; });
  };
  while (std::chrono::steady_clock::now() < to_connect + std::chrono::milliseconds(50)) {
    poll_one(0);
    usleep(1000);
  }
  EXPECT_EQ(met[0]->connector->Lack(),
            "rank 0 cannot call rank 3 yet: socket: Too many open files (the limit, ulimit -n, "
            "is 150: raise it)");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (met[0]->connections[3].get() < 0 && std::chrono::steady_clock::now() < until) {
    poll_one(0);
    poll_one(3);
  }
  EXPECT_GE(met[0]->connections[3].get(), 0);
  EXPECT_EQ(met[0]->connector->Lack(), "");
}

TEST(TcpMeeting, StrangersKeepNoRankWaitingAndAreNotAnsweredAsRanksAre) {
  std::vector<OwnedFd> strangers;
  const auto begun = std::chrono::steady_clock::now();
  const auto met = Meet(2, -1, [&](int rank, const std::vector<std::string>& all) {
    const auto address = ParseAddress(all.front());
    if (rank != 1 || !address || address->port.empty()) return;
    // Before rank 1 calls: one that says nothing, one that speaks nonsense, and one that knows how
    // ranks speak, but not the secret.
    for (int stranger = 0; stranger < 3; ++stranger) {
      auto fd = Dial(*address, std::chrono::steady_clock::now() + std::chrono::seconds(5));
      if (!fd.ok()) return;
      const Hello hello = {1, 2, std::string(kNonceBytes, 'n')};
      if (stranger == 1) (void)SendAll(fd->get(), std::string(1000, 'x'));
      if (stranger == 2) {
        (void)SendAll(fd->get(), FormatHello(hello) + std::string(kProofBytes, 'p'));
      }
      strangers.push_back(*std::move(fd));
    }
  });
  for (const Met& each : met) EXPECT_TRUE(each.ok()) << each.status();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
  ASSERT_EQ(strangers.size(), 3u);
  for (std::size_t stranger = 0; stranger < 3; ++stranger) {
    std::string heard;
    char bytes[256];
    while (true) {
      const ssize_t got = recv(strangers[stranger].get(), bytes, sizeof bytes, 0);
      if (got <= 0) break;
      heard.append(bytes, static_cast<std::size_t>(got));
    }
    // A nonce and a proof at most, and no verdict.
    EXPECT_LE(heard.size(), stranger == 2 ? kAnswerBytes : 0u) << stranger;
  }
}

TEST(TcpMeeting, StrangersInNumbersThatSayNothingKeepNoRankOut) {
  std::vector<OwnedFd> strangers;
  const auto begun = std::chrono::steady_clock::now();
  const auto met = Meet(2, -1, [&](int rank, const std::vector<std::string>& all) {
    const auto address = ParseAddress(all.front());
    if (rank != 1 || !address || address->port.empty()) return;
    // More than rank 0 listens to at a time, before rank 1 calls.
    for (int stranger = 0; stranger < 400; ++stranger) {
      auto fd = Dial(*address, std::chrono::steady_clock::now() + std::chrono::seconds(5));
      ASSERT_TRUE(fd.ok()) << fd.status();
      strangers.push_back(*std::move(fd));
    }
  });
  for (const Met& each : met) EXPECT_TRUE(each.ok()) << each.status();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
  EXPECT_EQ(strangers.size(), 400u);
}

// As where packets are lost, until the other's patience is over.
TEST(TcpMeeting, ARankThatWasHungUpOnCallsAgain) {
  std::optional<Relay> relay;
  const auto met = Meet(
      2, -1, [](int, const auto&) {},
      [&](std::vector<std::string> all) {
        const auto address = ParseAddress(all.front());
        if (!relay && address && !address->port.empty()) relay.emplace(*address);
        if (relay && address && !address->port.empty()) all.front() = relay->address();
        return all;
      });
  for (const Met& each : met) EXPECT_TRUE(each.ok()) << each.status();
  ASSERT_TRUE(relay);
  EXPECT_EQ(relay->calls(), 3);
}

// An address that a rank publishes, and one more at which somebody else listens, or nobody.
std::vector<std::string> WithInFront(const std::string& wrong, std::vector<std::string> all) {
  const auto address = ParseAddress(all.front());
  if (address && !address->port.empty()) all.front() = wrong + " " + all.front();
  return all;
}

TEST(TcpMeeting, ARankThatIsNotReachedAtItsFirstAddressIsCalledAtTheNext) {
  const auto met = Meet(
      3, -1, [](int, const auto&) {},
      [](std::vector<std::string> all) { return WithInFront("127.0.0.1:1", std::move(all)); });
  for (const Met& each : met) EXPECT_TRUE(each.ok()) << each.status();
}

// As at docker0, whose address is this machine's own, too.
TEST(TcpMeeting, WhoListensAtAnAddressAndIsNotTheRankIsPassedOver) {
  for (const bool answers : {false, true}) {
    auto listener = Listen({"127.0.0.1", "0"});
    ASSERT_TRUE(listener.ok()) << listener.status();
    sockaddr_in at = {};
    socklen_t length = sizeof at;
    ASSERT_EQ(getsockname(listener->get(), reinterpret_cast<sockaddr*>(&at), &length), 0);
    const std::string wrong = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    std::atomic<bool> was_greeted{false};
    std::thread stranger([&] {
      pollfd called = {listener->get(), POLLIN, 0};
      if (poll(&called, 1, 5000) != 1) return;
      auto caller = Accept(listener->get());
      if (!caller.ok()) return;
      called = {caller->fd.get(), POLLIN, 0};
      char bytes[kGreetingBytes];
      was_greeted = poll(&called, 1, 5000) == 1 && recv(called.fd, bytes, sizeof bytes, 0) > 0;
      if (answers) (void)SendAll(called.fd, std::string(kAnswerBytes, 'x'));
      // Else it says nothing until the caller goes.
      (void)poll(&called, 1, 5000);
    });
    const auto met = Meet(
        2, -1, [](int, const auto&) {},
        [&](std::vector<std::string> all) { return WithInFront(wrong, std::move(all)); });
    stranger.join();
    for (const Met& each : met) EXPECT_TRUE(each.ok()) << each.status();
    EXPECT_TRUE(was_greeted);
  }
}

TEST(TcpMeeting, ARankThatDoesNotComeIsNamed) {
  const auto met = Meet(3, 1, [](int, const auto&) {});
  EXPECT_TRUE(absl::IsUnavailable(met[0].status())) << met[0].status();
  EXPECT_NE(met[0].status().message().find("rank 1"), std::string::npos) << met[0].status();
  EXPECT_TRUE(absl::IsUnavailable(met[2].status())) << met[2].status();
  EXPECT_NE(met[2].status().message().find("rank 1"), std::string::npos) << met[2].status();
  // With what was tried, and what helps.
  EXPECT_EQ(met[2].status().message(),
            "rank 1 was not reached at 127.0.0.1:1 (refused): set LLCL_ADDRESS on its machine to "
            "an address that the other machines reach");
  EXPECT_NE(met[0].status().message().find("has not come to 127.0.0.1:"), std::string::npos);
  EXPECT_NE(met[0].status().message().find("set LLCL_ADDRESS"), std::string::npos);
}

}  // namespace
}  // namespace llcl
