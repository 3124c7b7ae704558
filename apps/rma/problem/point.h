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

// The way to the other rank: three real ones, and the paper's two, which are simulated.
enum class Network { kSmp, kTcp, kOfi, kTofu, kInfiniband };
std::string_view ToString(Network network);

// How a request gets to the network.
enum class Offload {
  kInPlace,  // the caller copies the bytes itself: shared memory, which asks no device
  kDirect,   // the caller posts, waiting for the device's lock; the communication thread polls
  kOffload,  // the paper's: through the ring, to the communication thread
  kHybrid,   // llcl's default: the caller posts where it need not wait, and polls while it waits
};
std::string_view ToString(Offload offload);

// A value.
struct Point {
  Network network = Network::kOfi;
  Offload offload = Offload::kHybrid;
  int threads = 1;
  std::uint64_t bytes = 8;
  friend bool operator==(const Point&, const Point&) = default;
};

// "ofi, offload, 8 B": all but the threads.
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
