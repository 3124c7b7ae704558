// Ranks on machines that a TCP network connects, and nothing else: a connection between each two
// ranks, or each two of different hosts. In a job of many ranks a connection begins when one of the
// two has something for the other (meeting.h).
//
// Memory of the program's own may be used by other ranks, too. The rank that owns a region reads
// and writes it for the others, and checks what they ask for: so it must make progress, as its
// progress thread does.
//
// Of a rank that was never met, and goes within some tenths of a second with all ranks that have
// met it, a rank hears nothing. A request for it then takes it for lost.
//
// A rank whose machine vanishes is taken for gone some ten seconds later (silence.h). One whose
// process is stopped is not: operations with it are late.
//
// Bytes go by the network as they are, neither encrypted nor signed: ranks only prove to each other
// that they are of one job (meeting.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/launch/launch.h"

namespace llcl {

// A value.
struct TcpOptions {
  std::string node = {};  // this machine's address by which others reach it; empty: found
  // A number of the host of each rank, by rank, the same on all ranks: there is no connection to
  // the ranks of this rank's host, which another conduit reaches. Empty: each has its own.
  std::vector<int> hosts = {};
};

// The descriptors that a conduit keeps at first, but for its executor's.
std::uint64_t TcpDescriptors(const Launch& launch, const TcpOptions& options);

// All ranks of `launch` call it. Errors: Unavailable where the launcher or a rank is gone or does
// not come, or cannot be reached as the system has no more descriptors; ResourceExhausted where it
// has none to watch connections.
absl::StatusOr<std::unique_ptr<Conduit>> MakeTcpConduit(Launch& launch,
                                                        const TcpOptions& options = {});

}  // namespace llcl
