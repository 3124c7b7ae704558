#include "llcl/tcp/silence.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace llcl {

TcpSilence SilenceOf(int socket) {
  tcp_info info = {};
  socklen_t bytes = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return {};
  return {std::max<std::uint32_t>(info.tcpi_retransmits, info.tcpi_probes),
          info.tcpi_last_ack_recv};
}

void LetSilenceDecide(int socket) {
  const auto set = [socket](int level, int option, int value) {
    (void)setsockopt(socket, level, option, &value, sizeof value);
  };
  // Six questions, a second apart, as each may be lost.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 4);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(IPPROTO_TCP, TCP_KEEPCNT, 6);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 0);
}

}  // namespace llcl
