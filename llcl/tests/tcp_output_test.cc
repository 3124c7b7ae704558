#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/tcp/output.h"

namespace llcl {
namespace {

struct Pair {
  OwnedFd here, there;
};

constexpr int kFew = 32768;

Pair Connect(int buffer = kFew) {
  int fds[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  EXPECT_EQ(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer), 0);
  return {OwnedFd(fds[0]), OwnedFd(fds[1])};
}

std::vector<std::byte> Received(int fd, std::size_t most) {
  std::vector<std::byte> bytes(most);
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

TEST(TcpOutput, SendsAllBytesInOrderWhateverTheConnectionTakesAtATime) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto draw = [&](std::size_t most) { return random() % most; };
  std::vector<std::byte> large(3 << 20);
  for (std::byte& byte : large) byte = static_cast<std::byte>(random());
  const Pair pair = Connect();
  TcpOutput output;
  std::vector<std::byte> expected, received;
  for (int step = 0; step < 5'000; ++step) {
    const std::size_t from = draw(large.size() - 70'000);
    const auto source = std::span<const std::byte>(large).subspan(from);
    switch (draw(5)) {
      case 0: {
        const std::size_t bytes = draw(600);
        output.Add(source.first(bytes));
        expected.insert(expected.end(), source.begin(),
                        source.begin() + static_cast<std::ptrdiff_t>(bytes));
        break;
      }
      case 1: {
        if (draw(20) != 0) break;
        const std::size_t bytes = draw(70'000);
        output.Refer(source.first(bytes));
        expected.insert(expected.end(), source.begin(),
                        source.begin() + static_cast<std::ptrdiff_t>(bytes));
        break;
      }
      case 2: {
        if (draw(20) != 0) break;
        std::vector<std::byte> passing(source.begin(),
                                       source.begin() + static_cast<std::ptrdiff_t>(draw(70'000)));
        expected.insert(expected.end(), passing.begin(), passing.end());
        ASSERT_NE(output.SendOrCopy(pair.here.get(), passing), TcpSent::kGone);
        std::fill(passing.begin(), passing.end(), std::byte{0});
        break;
      }
      case 3:
        ASSERT_NE(output.Send(pair.here.get()), TcpSent::kGone);
        break;
      default:
        for (const std::byte byte : Received(pair.there.get(), 1 + draw(30'000))) {
          received.push_back(byte);
        }
    }
    ASSERT_EQ(output.added(), expected.size());
    ASSERT_EQ(output.bytes(), output.added() - output.sent());
  }
  while (received.size() < expected.size()) {
    ASSERT_NE(output.Send(pair.here.get()), TcpSent::kGone);
    for (const std::byte byte : Received(pair.there.get(), 65536)) received.push_back(byte);
  }
  EXPECT_TRUE(received == expected);
  EXPECT_EQ(output.Send(pair.here.get()), TcpSent::kSent);
  EXPECT_TRUE(output.empty());
}

// Else others would wait as long as it takes.
TEST(TcpOutput, SendsNoMoreAtATimeThanItSays) {
  const Pair pair = Connect(1 << 20);
  const std::vector<std::byte> large(64 << 20);
  TcpOutput output;
  output.Refer(large);
  std::thread taker([&] {
    std::vector<std::byte> bytes(1 << 20);
    std::size_t taken = 0;
    while (taken < large.size()) {
      const ssize_t got = recv(pair.there.get(), bytes.data(), bytes.size(), 0);
      if (got <= 0) return;
      taken += static_cast<std::size_t>(got);
    }
  });
  while (!output.empty()) {
    const std::uint64_t before = output.sent();
    ASSERT_NE(output.Send(pair.here.get()), TcpSent::kGone);
    EXPECT_LE(output.sent() - before, TcpOutput::kMostSent);
  }
  taker.join();
}

TEST(TcpOutput, NothingIsNothingToSend) {
  const Pair pair = Connect();
  TcpOutput output;
  output.Add({});
  output.Refer({});
  EXPECT_TRUE(output.empty());
  EXPECT_EQ(output.Send(pair.here.get()), TcpSent::kSent);
}

TEST(TcpOutput, SaysThatTheOtherSideIsGone) {
  Pair pair = Connect();
  pair.there = OwnedFd();
  TcpOutput output;
  output.AddValues(std::uint64_t{8});
  EXPECT_EQ(output.Send(pair.here.get()), TcpSent::kGone);
}

// Copies and references keep their order, and other memory stays referred to.
TEST(TcpOutput, MemoryThatIsKeptMayChange) {
  std::string kept = "kept", other = "other", again = "again";
  TcpOutput output;
  output.Add(std::as_bytes(std::span("<", 1)));
  output.Refer(std::as_bytes(std::span(kept)));
  output.Add(std::as_bytes(std::span("|", 1)));
  output.Refer(std::as_bytes(std::span(other)));
  output.Refer(std::as_bytes(std::span(kept).subspan(1)));
  output.Refer(std::as_bytes(std::span(again)));
  output.Add(std::as_bytes(std::span(">", 1)));
  output.Keep(std::as_bytes(std::span(kept)));
  kept = "XXXX";
  other = "OTHER";
  const auto [here, there] = Connect();
  EXPECT_EQ(output.Send(here.get()), TcpSent::kSent);
  std::string came(100, ' ');
  const ssize_t bytes = recv(there.get(), came.data(), came.size(), 0);
  came.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  EXPECT_EQ(came, "<kept|OTHEReptagain>");
}

}  // namespace
}  // namespace llcl
