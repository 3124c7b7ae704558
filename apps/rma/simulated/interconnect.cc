#include "apps/rma/simulated/interconnect.h"

namespace rma {
namespace {

constexpr double kYieldNs = 1000;  // assumed: some hundred cycles into the kernel and back

// FX10, SPARC64 IXfx at 1.848 GHz. A read that one thread posts and polls itself takes 2365 ns
// (section 6.1).
Interconnect Tofu() {
  // 196 ns is a request's overhead with two threads, 117 ns with one (section 6.1): the tail's line
  // comes from the other requester's core, too.
  constexpr double kLineNs = 196 - 117;
  // 3.00 million messages a second with four threads are 333 ns each of the communication thread's
  // (section 6.1). It fetches lines from requesters in them; of the rest, fitted, only the sum
  // matters.
  constexpr double kCallNs = 60, kRequestNs = 50, kEndNs = 59;
  return {.ring_ns = 117 - kLineNs,  // the overhead with one thread, but for the tail
          .line_ns = kLineNs,
          .call_ns = kCallNs,
          .request_ns = kRequestNs,
          .end_ns = kEndNs,
          .network_ns = 2365 - kCallNs - kRequestNs - kEndNs,
          .bytes_per_ns = 5,  // a link's 5 GB/s in each direction (data sheet)
          .yield_ns = kYieldNs,
          .threads = Interconnect::Threads::kOne};
}

// Two Xeon E5-2680 v2 at 2.8 GHz, Connect-IB with two ports of FDR.
Interconnect Infiniband() {
  constexpr double kLineNs = 27;  // 75 cycles: from another core's cache of the same package
  constexpr double kTagNs = 5;    // assumed: a free list's head
  // "At least several hundred cycles" (section 4.2): three hundred.
  constexpr double kCallNs = 107;
  // 6.54 million messages of 8 bytes a second without offloading are 153 ns each (section 6.2).
  constexpr double kMessageNs = 153;
  // The overhead of 486 ns without offloading (section 6.2) is of requests after a wait.
  constexpr double kColdNs = 486 - kMessageNs;
  constexpr double kEndNs = 30;  // assumed; a part of the latency
  return {
      .tag_ns = kTagNs,
      // The overhead of 689 ns with offloading (section 6.2), but for the tags' and tail's lines.
      .ring_ns = 689 - kColdNs - kTagNs - 2 * kLineNs,
      .cold_ns = kColdNs,
      .line_ns = kLineNs,
      .call_ns = kCallNs,
      .request_ns = kMessageNs - kCallNs - kTagNs - kLineNs,
      .batch = 64,  // llcl's
      .end_ns = kEndNs,
      // The latency of 3310 ns without offloading (section 6.2), less all that comes before and
      // after.
      .network_ns = 3310 - 486 - kEndNs - kLineNs,
      .bytes_per_ns = 13.6,  // two ports of 54.5 Gb/s (data sheet)
      .yield_ns = kYieldNs,
      .threads = Interconnect::Threads::kTwo};
}

}  // namespace

std::optional<Interconnect> InterconnectOf(Network network) {
  switch (network) {
    case Network::kTofu:
      return Tofu();
    case Network::kInfiniband:
      return Infiniband();
    case Network::kSmp:
    case Network::kTcp:
    case Network::kOfi:
    case Network::kMixed:
      break;
  }
  return std::nullopt;
}

}  // namespace rma
