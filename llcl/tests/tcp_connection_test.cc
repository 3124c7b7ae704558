// The states of a connection, and the moves between them.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <utility>

#include "llcl/owned_fd.h"
#include "llcl/tcp/connection.h"

namespace llcl {
namespace {

using State = TcpConnection::State;

std::array<OwnedFd, 2> Connect() {
  int fds[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {OwnedFd(fds[0]), OwnedFd(fds[1])};
}

TEST(TcpConnection, AnOpenOneTakesAndBringsBytes) {
  auto [here, there] = Connect();
  const TcpConnection connection(std::move(here));
  EXPECT_EQ(connection.state(), State::kOpen);
  EXPECT_TRUE(connection.takes_bytes());
  EXPECT_TRUE(connection.brings_bytes());
  EXPECT_FALSE(connection.is_lost());
}

TEST(TcpConnection, AnUnmetOneWaitsAndOpensOnce) {
  TcpConnection connection;
  EXPECT_TRUE(connection.is_unmet());
  EXPECT_FALSE(connection.takes_bytes());
  EXPECT_FALSE(connection.brings_bytes());
  EXPECT_FALSE(connection.was_open());
  auto [here, there] = Connect();
  connection.Open(std::move(here));
  EXPECT_EQ(connection.state(), State::kOpen);
  EXPECT_TRUE(connection.was_open());
}

TEST(TcpConnection, AnUnmetOneMayEndWithoutHavingBeenOpen) {
  TcpConnection connection;
  connection.OnGone();
  EXPECT_TRUE(connection.is_unmet());
  connection.End({});
  EXPECT_TRUE(connection.has_ended());
  connection.Lose();
  EXPECT_TRUE(connection.is_lost());
  EXPECT_FALSE(connection.was_open());
}

TEST(TcpConnection, AHalfClosedOneStillBringsBytes) {
  auto [here, there] = Connect();
  TcpConnection connection(std::move(here));
  connection.OnGone();
  EXPECT_EQ(connection.state(), State::kHalfClosed);
  EXPECT_FALSE(connection.takes_bytes());
  EXPECT_TRUE(connection.brings_bytes());
  char byte = 'x';
  ASSERT_EQ(send(there.get(), &byte, 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(recv(connection.fd(), &byte, 1, MSG_DONTWAIT), 1);
}

TEST(TcpConnection, AnEndedOneBringsNoneAndTheOtherSideHearsOfIt) {
  auto [here, there] = Connect();
  TcpConnection connection(std::move(here));
  const auto now = std::chrono::steady_clock::now();
  connection.End(now);
  EXPECT_EQ(connection.state(), State::kEnded);
  EXPECT_EQ(connection.ended_at(), now);
  EXPECT_FALSE(connection.takes_bytes());
  EXPECT_FALSE(connection.brings_bytes());
  EXPECT_FALSE(connection.is_lost());
  char byte = 0;
  EXPECT_EQ(recv(there.get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST(TcpConnection, AFailedSendOpensNoStateAgain) {
  auto [here, there] = Connect();
  TcpConnection connection(std::move(here));
  connection.End({});
  connection.OnGone();
  EXPECT_EQ(connection.state(), State::kEnded);
  connection.Lose();
  EXPECT_TRUE(connection.is_lost());
  connection.OnGone();
  EXPECT_TRUE(connection.is_lost());
}

}  // namespace
}  // namespace llcl
