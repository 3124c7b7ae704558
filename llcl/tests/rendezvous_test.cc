// Ranks as threads, strangers as sockets; all on the loopback.
#include "llcl/launch/rendezvous.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "llcl/launch/authentication.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/owned_fd.h"

namespace llcl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Met = absl::StatusOr<std::unique_ptr<Rendezvous>>;

constexpr char kSecret[] = "000102030405060708090a0b0c0d0e0f";
constexpr char kOtherSecret[] = "000102030405060708090a0b0c0d0e1f";

sockaddr_in Loopback(int port) {
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  return at;
}

// At which no process listens.
int FreePort() {
  const OwnedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at = Loopback(0);
  socklen_t length = sizeof at;
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&at), length), 0);
  EXPECT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &length), 0);
  return ntohs(at.sin_port);
}

RendezvousOptions OptionsAt(int port, int rank, int size) {
  return {.address = "127.0.0.1:" + std::to_string(port),
          .secret = kSecret,
          .rank = Rank{rank},
          .size = size,
          .deadline = seconds(20),
          .patience = seconds(10)};
}

// An ill-behaved client: sends `bytes` as soon as there is a listener, and no more.
OwnedFd Stranger(int port, const std::string& bytes) {
  const sockaddr_in at = Loopback(port);
  for (int tries = 0; tries < 1000; ++tries) {
    OwnedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) {
      EXPECT_EQ(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(bytes.size()));
      return fd;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  ADD_FAILURE() << "nobody listens";
  return OwnedFd();
}

// Waits until rank 0 has hung up.
void AwaitEnd(const OwnedFd& fd) {
  char byte;
  while (recv(fd.get(), &byte, 1, 0) > 0) {
  }
}

// The bytes of a rank in a round: some none, some many.
std::string BytesOf(int rank, int round) {
  return std::string(static_cast<std::size_t>(rank * 30000 * round), static_cast<char>('a' + rank));
}

void ExchangeThrice(Launch& launch) {
  for (int round = 0; round < 3; ++round) {
    const auto all = launch.Allgather(BytesOf(ToInt(launch.rank()), round));
    ASSERT_TRUE(all.ok()) << all.status();
    ASSERT_EQ(static_cast<int>(all->size()), launch.size());
    for (int rank = 0; rank < launch.size(); ++rank) {
      EXPECT_EQ((*all)[static_cast<std::size_t>(rank)], BytesOf(rank, round));
    }
  }
}

// A thread that meets, and does something with what it gets.
std::thread Start(const RendezvousOptions& options, std::function<void(Met)> then) {
  return std::thread([options, then] { then(Meet(options)); });
}

void ExpectExchange(Met met) {
  ASSERT_TRUE(met.ok()) << met.status();
  ExchangeThrice(**met);
}

// While `disturb` goes on, two ranks meet and exchange; returns how many rank 0 turned away.
int TurnedAwayWhile(const std::function<void(int port)>& disturb) {
  const int port = FreePort();
  int turned_away = -1;
  std::thread zero = Start(OptionsAt(port, 0, 2), [&](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    turned_away = (*met)->turned_away();
    ExchangeThrice(**met);
  });
  disturb(port);
  std::thread one = Start(OptionsAt(port, 1, 2), ExpectExchange);
  zero.join();
  one.join();
  return turned_away;
}

class JobOf : public ::testing::TestWithParam<int> {};

TEST_P(JobOf, RanksThatComeInAnyOrderExchangeBytes) {
  const int port = FreePort();
  std::vector<std::thread> ranks;
  for (int rank = GetParam() - 1; rank >= 0; --rank) {
    ranks.push_back(Start(OptionsAt(port, rank, GetParam()), ExpectExchange));
  }
  for (std::thread& rank : ranks) rank.join();
}

INSTANTIATE_TEST_SUITE_P(Rendezvous, JobOf, ::testing::Values(1, 2, 5));

TEST(Rendezvous, IsAlsoByIpv6) {
  const OwnedFd probe(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 at = {};
  at.sin6_family = AF_INET6;
  at.sin6_addr = in6addr_loopback;
  if (bind(probe.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) {
    GTEST_SKIP() << "this machine has no IPv6 loopback";
  }
  RendezvousOptions options = OptionsAt(FreePort(), 0, 2);
  options.address = "[::1]" + options.address.substr(options.address.rfind(':'));
  std::thread zero = Start(options, ExpectExchange);
  options.rank = Rank{1};
  std::thread one = Start(options, ExpectExchange);
  zero.join();
  one.join();
}

TEST(Rendezvous, AWrongSecretIsTurnedAwayWhileTheRanksGoOn) {
  EXPECT_EQ(TurnedAwayWhile([](int port) {
              RendezvousOptions options = OptionsAt(port, 1, 2);
              options.secret = kOtherSecret;
              EXPECT_TRUE(absl::IsPermissionDenied(Meet(options).status()));
            }),
            1);
}

TEST(Rendezvous, AListenerWithoutTheSecretIsNotTakenForRank0) {
  const int port = FreePort();
  std::thread zero = Start(
      [&] {
        RendezvousOptions options = OptionsAt(port, 0, 2);
        options.secret = kOtherSecret;
        options.deadline = milliseconds(500);
        return options;
      }(),
      [](Met met) { EXPECT_TRUE(absl::IsUnavailable(met.status())); });
  EXPECT_TRUE(absl::IsPermissionDenied(Meet(OptionsAt(port, 1, 2)).status()));
  zero.join();
}

TEST(Rendezvous, SilentStrangersDoNotHoldUpTheRanks) {
  std::vector<OwnedFd> silent;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(TurnedAwayWhile([&](int port) {
              for (int i = 0; i < 20; ++i) silent.push_back(Stranger(port, i % 2 ? "" : "llcl"));
            }),
            0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
}

TEST(Rendezvous, AStrangerIsSilentForABoundedTimeOnly) {
  RendezvousOptions options = OptionsAt(FreePort(), 0, 2);
  options.deadline = seconds(2);
  options.patience = milliseconds(100);
  std::thread zero = Start(options, [](Met met) {
    EXPECT_TRUE(absl::IsUnavailable(met.status()));
    EXPECT_NE(met.status().message().find("missing: 1; turned away: 1 "), std::string::npos)
        << met.status();
  });
  const int port = std::stoi(options.address.substr(options.address.rfind(':') + 1));
  const OwnedFd silent = Stranger(port, "");
  AwaitEnd(silent);
  zero.join();
}

TEST(Rendezvous, ACrowdOfStrangersDoesNotKeepTheRanksOut) {
  std::vector<OwnedFd> crowd;
  EXPECT_GE(TurnedAwayWhile([&](int port) {
              for (int i = 0; i < 400; ++i) crowd.push_back(Stranger(port, ""));
            }),
            100);
}

// Receives that many bytes, or fewer where rank 0 has hung up.
std::string Receive(const OwnedFd& fd, std::size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = recv(fd.get(), bytes.data(), count, MSG_WAITALL);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

TEST(Rendezvous, ARankThatHasGreetedIsPushedOutByNoNumberOfStrangers) {
  constexpr int kStrangers = 2000;
  const int port = FreePort();
  int turned_away = 0;
  testing::internal::CaptureStderr();
  std::thread zero = Start(OptionsAt(port, 0, 2), [&](Met met) {
    EXPECT_TRUE(met.ok()) << met.status();
    if (met.ok()) turned_away = (*met)->turned_away();
  });
  const SipKey key = *ParseSecret(kSecret);
  const Hello hello = {.rank = 1, .size = 2, .nonce = std::string(kNonceBytes, 'n')};
  const OwnedFd rank = Stranger(port, FormatGreeting(key, hello));
  const std::string answer = Receive(rank, kAnswerBytes);
  std::deque<OwnedFd> strangers;
  for (int i = 0; i < kStrangers; ++i) {
    strangers.push_back(Stranger(port, i % 2 ? "" : "llcl"));
    if (strangers.size() > 500) strangers.pop_front();
  }
  const std::string proof = ProofToRank0(key, hello, answer.substr(0, kNonceBytes));
  EXPECT_EQ(send(rank.get(), proof.data(), proof.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(proof.size()));
  EXPECT_EQ(Receive(rank, 1), "w");
  zero.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_GE(turned_away, kStrangers / 2);
  // A line for each of the first, one a second, and the rest.
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 60) << said;
  EXPECT_NE(said.find(" more, " + std::to_string(turned_away) + " in all\n"), std::string::npos)
      << said;
}

TEST(Rendezvous, GarbageIsTurnedAwayAndCounted) {
  EXPECT_EQ(TurnedAwayWhile([](int port) {
              AwaitEnd(Stranger(port, "GET / HTTP/1.1\r\n\r\n"));
              AwaitEnd(Stranger(port, std::string(4096, '\0')));
              AwaitEnd(Stranger(port, "llclrdv2" + std::string(48, '\xff')));
            }),
            3);
}

TEST(Rendezvous, TheSecondOfTheSameRankIsTurnedAway) {
  const int port = FreePort();
  std::thread zero = Start(OptionsAt(port, 0, 3), [](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    EXPECT_EQ((*met)->turned_away(), 1);
    ExchangeThrice(**met);
  });
  Met first = Meet(OptionsAt(port, 1, 3));
  EXPECT_TRUE(absl::IsAlreadyExists(Meet(OptionsAt(port, 1, 3)).status()));
  std::thread two = Start(OptionsAt(port, 2, 3), ExpectExchange);
  ExpectExchange(std::move(first));
  zero.join();
  two.join();
}

TEST(Rendezvous, AnotherJobSizeIsTurnedAway) {
  EXPECT_EQ(TurnedAwayWhile([](int port) {
              EXPECT_TRUE(absl::IsInvalidArgument(Meet(OptionsAt(port, 1, 4)).status()));
            }),
            1);
}

TEST(Rendezvous, AllHearOfARankThatDies) {
  const int port = FreePort();
  const pid_t dies = fork();
  if (dies == 0) {  // Before any thread is started.
    const Met met = Meet(OptionsAt(port, 2, 4));
    _exit(met.ok() && (*met)->Allgather("once").ok() ? 0 : 1);
  }
  const auto hear = [](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    const auto once = (*met)->Allgather("once");
    EXPECT_TRUE(once.ok()) << once.status();
    for (int again = 0; again < 2; ++again) {
      const absl::Status status = (*met)->Allgather("again").status();
      EXPECT_TRUE(absl::IsUnavailable(status)) << status;
      EXPECT_EQ(status.message(), "rank 2 is gone");
    }
  };
  std::vector<std::thread> ranks;
  for (const int rank : {0, 1, 3}) ranks.push_back(Start(OptionsAt(port, rank, 4), hear));
  for (std::thread& rank : ranks) rank.join();
  int status = -1;
  EXPECT_EQ(waitpid(dies, &status, 0), dies);
  EXPECT_EQ(status, 0);
}

TEST(Rendezvous, AllHearThatRank0IsGone) {
  const int port = FreePort();
  std::thread one = Start(OptionsAt(port, 1, 2), [](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    EXPECT_EQ((*met)->Allgather("x").status().message(), "rank 0 is gone");
  });
  { EXPECT_TRUE(Meet(OptionsAt(port, 0, 2)).ok()); }
  one.join();
}

TEST(Rendezvous, AllHearWhoAbortsAndWhy) {
  const int port = FreePort();
  const pid_t aborts = fork();
  if (aborts == 0) {
    const Met met = Meet(OptionsAt(port, 1, 3));
    // All are in by then.
    if (met.ok() && (*met)->Allgather("").ok()) (*met)->Abort(9, "enough");
    _exit(1);
  }
  const auto hear = [](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    ASSERT_TRUE((*met)->Allgather("").ok());
    const absl::Status status = (*met)->Allgather("x").status();
    EXPECT_TRUE(absl::IsAborted(status)) << status;
    EXPECT_EQ(status.message(), "rank 1 aborts the job (exit code 9): enough");
  };
  std::thread zero = Start(OptionsAt(port, 0, 3), hear);
  std::thread two = Start(OptionsAt(port, 2, 3), hear);
  zero.join();
  two.join();
  int status = -1;
  EXPECT_EQ(waitpid(aborts, &status, 0), aborts);
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

TEST(Rendezvous, ARankThatFindsNoListenerGivesUpAtTheDeadline) {
  RendezvousOptions options = OptionsAt(FreePort(), 1, 2);
  options.deadline = milliseconds(200);
  EXPECT_TRUE(absl::IsUnavailable(Meet(options).status()));
}

// The name of a machine that has none yet.
std::string NameAt(const std::string& address) {
  return "not-yet.invalid" + address.substr(address.rfind(':'));
}

TEST(Rendezvous, Rank0WhoseNameIsNotKnownListensAtAllAddresses) {
  const RendezvousOptions one = OptionsAt(FreePort(), 1, 2);
  RendezvousOptions zero = OptionsAt(0, 0, 2);
  zero.address = NameAt(one.address);
  std::thread listens = Start(zero, [](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    EXPECT_EQ((*met)->LocalAddress(), "127.0.0.1");
    ExchangeThrice(**met);
  });
  ExpectExchange(Meet(one));
  listens.join();
}

TEST(Rendezvous, Rank0SaysThatItListenedAtAllAddressesInVain) {
  RendezvousOptions options = OptionsAt(FreePort(), 0, 2);
  options.address = NameAt(options.address);
  options.deadline = milliseconds(1050);
  const std::string why(Meet(options).status().message());
  EXPECT_EQ(why.find("not all ranks came to " + options.address +
                     " within 1.050 s (LLCL_RENDEZVOUS_TIMEOUT); missing: 1;"),
            0u)
      << why;
  EXPECT_NE(why.find("at all addresses of its machine: cannot find not-yet.invalid:"),
            std::string::npos)
      << why;
}

TEST(Rendezvous, AnAddressInDigitsThatIsNotRank0sIsRefusedAtOnce) {
  RendezvousOptions options = OptionsAt(FreePort(), 0, 2);
  options.address = "192.0.2.1:4096";  // Nobody has it: RFC 5737.
  const std::string why(Meet(options).status().message());
  EXPECT_EQ(why, "cannot listen at 192.0.2.1:4096: Cannot assign requested address");
}

TEST(Rendezvous, APortThatIsTakenIsRefusedAtOnce) {
  const int port = FreePort();
  // By both families, as a name may have addresses of both.
  std::string instead;
  const auto taken = ListenForRanks({"not-yet.invalid", std::to_string(port)}, instead);
  ASSERT_TRUE(taken.ok()) << taken.status();
  RendezvousOptions options = OptionsAt(port, 0, 2);
  options.address = "localhost:" + std::to_string(port);
  const std::string why(Meet(options).status().message());
  EXPECT_EQ(why, "cannot listen at " + options.address + ": Address already in use");
}

TEST(Rendezvous, ARankNamesTheHostTheReasonAndTheBound) {
  RendezvousOptions options = OptionsAt(FreePort(), 1, 2);
  options.address = NameAt(options.address);
  options.deadline = seconds(1);
  const std::string why(Meet(options).status().message());
  EXPECT_EQ(why.find("rank 1 did not get to rank 0 at " + options.address +
                     " within 1 s (LLCL_RENDEZVOUS_TIMEOUT): cannot find not-yet.invalid:"),
            0u)
      << why;
  EXPECT_NE(why.find("; every machine of the job must know this name"), std::string::npos) << why;
}

// As a pod that is started again.
TEST(Rendezvous, ARankThatComesToAJobThatIsRunningIsToldAndDisturbsNobody) {
  const int port = FreePort();
  std::thread zero = Start(OptionsAt(port, 0, 2), [port](Met met) {
    ASSERT_TRUE(met.ok()) << met.status();
    RendezvousOptions again = OptionsAt(port, 1, 2);
    again.deadline = milliseconds(300);
    const absl::Status refused = Meet(again).status();
    EXPECT_TRUE(absl::IsUnavailable(refused));
    EXPECT_NE(refused.message().find("Connection refused; rank 0 has not begun, or its job is "
                                     "running or over and takes no rank any more"),
              std::string::npos)
        << refused;
    ExchangeThrice(**met);
  });
  std::thread one = Start(OptionsAt(port, 1, 2), ExpectExchange);
  zero.join();
  one.join();
}

TEST(Rendezvous, OptionsThatAreNoneAreRefused) {
  const RendezvousOptions good = OptionsAt(4096, 0, 2);
  std::vector<RendezvousOptions> bad(4, good);
  bad[0].secret = "hello";
  bad[1].address = "localhost";
  bad[2].rank = Rank{2};
  bad[3].size = 0;
  for (const RendezvousOptions& options : bad) {
    EXPECT_TRUE(absl::IsInvalidArgument(Meet(options).status())) << Meet(options).status();
  }
}

}  // namespace
}  // namespace llcl
