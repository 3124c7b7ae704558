// The options of a connection's sockets.
#include "llcl/launch/rendezvous_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>
#include <string>

#include "llcl/owned_fd.h"

namespace llcl {
namespace {

std::string CongestionControlOf(int fd) {
  char name[16] = {};  // TCP_CA_NAME_MAX
  socklen_t length = sizeof name;
  EXPECT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length), 0);
  return name;
}

std::string PortOf(int fd) {
  sockaddr_in at = {};
  socklen_t length = sizeof at;
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&at), &length), 0);
  return std::to_string(ntohs(at.sin_port));
}

// The machine's own choice may be reno, too: then the test shows nothing.
TEST(RendezvousSocket, InsideAMachineConnectionsUseReno) {
  const OwnedFd probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (setsockopt(probe.get(), IPPROTO_TCP, TCP_CONGESTION, "reno", 4) != 0) {
    GTEST_SKIP() << "this machine does not let us use reno";
  }
  const auto listener = Listen({"127.0.1.1", "0"});
  ASSERT_TRUE(listener.ok()) << listener.status();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  // From 127.0.0.1 to another address of the loopback.
  const auto dialed = Dial({"127.0.1.1", PortOf(listener->get())}, until);
  ASSERT_TRUE(dialed.ok()) << dialed.status();
  const auto accepted = Accept(listener->get());
  ASSERT_TRUE(accepted.ok()) << accepted.status();
  EXPECT_EQ(CongestionControlOf(dialed->get()), "reno");
  EXPECT_EQ(CongestionControlOf(accepted->fd.get()), "reno");
}

}  // namespace
}  // namespace llcl
