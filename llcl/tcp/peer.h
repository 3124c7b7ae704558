// Another rank, as a TCP device knows it.
#pragma once

#include "llcl/region.h"
#include "llcl/tcp/connection.h"
#include "llcl/tcp/receiver.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"
#include "llcl/tcp/sender.h"

namespace llcl {

// Under the executor's lock, but for the connection's state.
struct TcpPeer {
  TcpPeer(Rank its_rank, TcpRequests& requests, TcpRegions& regions)
      : rank(its_rank),
        sender(connection, requests, regions),
        receiver(rank, connection, requests, regions, sender) {}

  const Rank rank;
  bool was_met_on_use = false;
  bool was_missed = false;  // by the last call
  TcpConnection connection;
  TcpSender sender;
  TcpReceiver receiver;
};

}  // namespace llcl
