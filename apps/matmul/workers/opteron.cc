#include "apps/matmul/workers/opteron.h"

#include <cstdlib>

namespace matmul {

std::vector<int> SocketsOfCores() {
  std::vector<int> sockets;
  for (int core = 0; core < kCores; ++core) sockets.push_back(core / kCoresPerSocket);
  return sockets;
}

std::vector<std::uint64_t> SocketDistances() {
  constexpr int kAcross = 2;
  std::vector<std::uint64_t> distances;
  for (int from = 0; from < kSockets; ++from) {
    for (int to = 0; to < kSockets; ++to) {
      const int links =
          std::abs(from / kAcross - to / kAcross) + std::abs(from % kAcross - to % kAcross);
      distances.push_back(static_cast<std::uint64_t>(10 + 6 * links));
    }
  }
  return distances;
}

}  // namespace matmul
