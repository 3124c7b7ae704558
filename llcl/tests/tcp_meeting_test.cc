#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

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

using Met = absl::StatusOr<std::vector<OwnedFd>>;

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
      met[static_cast<std::size_t>(rank)] =
          MeetByTcp(*launch, "127.0.0.1", Neighbors({launch->rank()}, launch->size()),
                    std::chrono::milliseconds(absent < 0 ? 30'000 : 300));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return met;
}

TEST(TcpMeeting, EachRankHasAConnectionToEachOther) {
  auto met = Meet(4, -1, [](int, const auto&) {});
  for (std::size_t from = 0; from < 4; ++from) {
    ASSERT_TRUE(met[from].ok()) << met[from].status();
    EXPECT_LT((*met[from])[from].get(), 0);
    for (std::size_t to = 0; to < 4; ++to) {
      if (to == from) continue;
      const char said = static_cast<char>(10 * from + to);
      ASSERT_EQ(send((*met[from])[to].get(), &said, 1, 0), 1);
    }
  }
  for (std::size_t to = 0; to < 4; ++to) {
    for (std::size_t from = 0; from < 4; ++from) {
      if (to == from) continue;
      pollfd ready = {(*met[to])[from].get(), POLLIN, 0};
      ASSERT_EQ(poll(&ready, 1, 5000), 1);
      char heard = 0;
      ASSERT_EQ(recv(ready.fd, &heard, 1, 0), 1);
      EXPECT_EQ(heard, static_cast<char>(10 * from + to));
    }
  }
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
