// The options of an endpoint.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "llcl/completion.h"
#include "llcl/endpoint/params.h"
#include "llcl/endpoint/trace.h"
#include "llcl/executor/executor.h"
#include "llcl/messenger.h"
#include "llcl/region.h"

namespace llcl {

// A value.
struct EndpointOptions {
  ExecutorOptions executor = {};
  std::vector<Handler> handlers = {};  // by HandlerId; the same on all ranks
  int credits = 64;                    // messages that a rank may have on their way to another
  Timeout timeout = std::chrono::seconds(30);
  // Small operations travel together (conduit/packing.h), where the network gains by it. The
  // same on all ranks.
  bool packs = false;
  // Called for each read, write, atomic and message, by the requesting and by the
  // completing thread; as short as a handler. Costs an allocation for each.
  Trace::Function trace = {};
  // Called once for each lost rank, as a handler is, after the handlers of all messages from this
  // rank.
  std::function<void(Rank)> on_loss = {};
  // Called once for each rank after the end of its endpoint, as a handler is. Handlers of the
  // rank's last messages may still run on other threads.
  std::function<void(Rank)> on_leave = {};
  // The size of a large message at most, one of more than Messenger::kMostPayload bytes; 0: all
  // such messages are refused. Also the size of two areas of memory, which are allocated with the
  // first large message: for those that this rank sends, and for those that it receives. The same
  // on all ranks.
  std::uint64_t large_bytes = 64 * 1024 * 1024;
  // At its end the endpoint writes one line to standard error: how many operations of each kind
  // this rank has asked for, with how many bytes, how many were refused or failed, and why
  // (executor/counts_line.h). Join does so by LLCL_STATS, too. Only then are operations counted:
  // by shared memory it costs an operation some 40 ns.
  bool prints_counts = false;
};

// Can there be an endpoint with these options? Errors: InvalidArgument with the field's name, its
// value, and the values that it may have.
absl::Status Check(const EndpointOptions& options);

}  // namespace llcl
