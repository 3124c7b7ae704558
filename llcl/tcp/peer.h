// Another rank, as a TCP device knows it.
#pragma once

#include <utility>

#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/connection.h"
#include "llcl/tcp/receiver.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"
#include "llcl/tcp/sender.h"

namespace llcl {

// Under the executor's lock, but for the connection's state.
struct TcpPeer {
  TcpPeer(Rank its_rank, OwnedFd fd, TcpRequests& requests, TcpRegions& regions)
      : rank(its_rank),
        connection(std::move(fd)),
        sender(connection, requests, regions),
        receiver(rank, connection, requests, regions, sender) {}

  const Rank rank;
  TcpConnection connection;
  TcpSender sender;
  TcpReceiver receiver;
};

}  // namespace llcl
