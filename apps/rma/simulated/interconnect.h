// The paper's two interconnects, as costs of the steps of a request: for a simulation.
//
// Costs are stated by the paper, or fitted to one of its numbers each; the rest of its figures is
// what follows. Pure.
//
// Source: [ET17] sections 3.3 to 4.2, 6.1 and 6.2.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/rma/problem/point.h"

namespace rma {

// A value.
struct Interconnect {
  // The requester's work: a tag, and its callback; the request's copy into the ring.
  double tag_ns = 0;
  double ring_ns = 0;
  // And where it has waited before: the caches have other threads' data by then.
  double cold_ns = 0;
  // A cache line that another core wrote last.
  double line_ns = 0;
  // A call that posts requests, with its doorbell; and each request in it. A call for requests from
  // the ring has up to `batch` of them.
  double call_ns = 0;
  double request_ns = 0;
  int batch = 1;
  // The completer's work for an end.
  double end_ns = 0;
  // From a doorbell until the end can be polled, without the bytes; and those.
  double network_ns = 0;
  double bytes_per_ns = 1;
  // Until a requester that was refused tries again: it lets others run. More than zero.
  double yield_ns = 1000;
  int ring = 1024;       // places
  int under_way = 4096;  // requests that the network holds
  // One communication thread that posts and polls, and takes the tags itself: Tofu, whose library
  // no two threads may call. Or an executor and a completer, and the tags behind a spin lock, which
  // also the completer takes: InfiniBand.
  enum class Threads { kOne, kTwo } threads = Threads::kTwo;
};

// None for a real network.
std::optional<Interconnect> InterconnectOf(Network network);

}  // namespace rma
