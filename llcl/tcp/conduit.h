// Ranks on machines that a TCP network connects: a connection between each two ranks, or each two
// of different hosts, and nothing else.
//
// Memory of the program's own may be used by other ranks, too. The rank that owns a region reads
// and writes it for the others, and checks what they ask for: so it must make progress, as its
// progress thread does.
//
// A rank whose machine vanishes is taken for gone some ten seconds later (silence.h). One whose
// process is stopped is not: operations with it are late.
//
// Bytes go by the network as they are, neither encrypted nor signed: ranks only prove to each other
// that they are of one job (meeting.h).
#pragma once

#include <cstddef>
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
  // The ranks that this one reaches by another conduit, which grow, this rank among them: there is
  // no connection to them. Empty: this rank alone. Each of them has the same ranks.
  std::vector<Rank> here = {};
};

// The descriptors that a conduit of so many connections keeps, but for its executor's.
std::uint64_t TcpDescriptors(std::size_t connections);

// All ranks of `launch` call it. Errors: Unavailable where the launcher or a rank is gone or does
// not come, or cannot be reached as the system has no more descriptors; ResourceExhausted where it
// has none to watch connections.
absl::StatusOr<std::unique_ptr<Conduit>> MakeTcpConduit(Launch& launch,
                                                        const TcpOptions& options = {});

}  // namespace llcl
