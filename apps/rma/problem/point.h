// What is measured: one way to the other rank, so many threads, reads of so many bytes.
//
// Pure. Source: [ET17] section 5.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rma {

// The network to the other rank: four real ones, and the paper's two, which are simulated.
// kMixed: shared memory inside a host, TCP between hosts.
enum class Network { kSmp, kTcp, kOfi, kMixed, kTofu, kInfiniband };
std::string_view ToString(Network network);

// How a request gets to the network.
enum class Offload {
  kInPlace,  // the caller copies the bytes itself: shared memory, which asks no device
  kDirect,   // the caller posts, waiting for the device's lock; the communication thread polls
  kOffload,  // the paper's: through the ring, to the communication thread
  kHybrid,   // llcl's default: the caller posts where it need not wait, and polls while it waits
};
std::string_view ToString(Offload offload);

// Where the other rank is; of kMixed.
enum class Way {
  kAny,     // another network's: the same for all ranks
  kInside,  // on the host of the first rank
  kBeyond   // on another host
};
std::string_view ToString(Way way);

// A value.
struct Point {
  Network network = Network::kOfi;
  Offload offload = Offload::kHybrid;
  int threads = 1;
  std::uint64_t bytes = 8;
  Way way = Way::kAny;
  friend bool operator==(const Point&, const Point&) = default;
};

// "ofi, offload, 8 B", "mixed, offload, 8 B, beyond": all but the threads.
std::string SeriesOf(const Point& point);

// A value. What one run says: listing 6's latency and overhead, in the mean of its requests, and
// listing 7's rate.
struct Sample {
  double latency_ns = 0;
  double overhead_ns = 0;
  double messages_per_s = 0;
};

// A value.
struct Row {
  Point point;
  std::vector<Sample> samples;  // one a repetition
};

}  // namespace rma
