// The paper's machine, described: eight sockets of four cores, Opteron 8354.
//
// Pure. Source: [NNT13] table 1. Its figure 2 shows the sockets' links; a ladder
// of two by four is taken for it.
#pragma once

#include <cstdint>
#include <vector>

namespace matmul {

inline constexpr int kSockets = 8;
inline constexpr int kCoresPerSocket = 4;
inline constexpr int kCores = kSockets * kCoresPerSocket;

// 563.2 GFLOP/s by 32 cores, single precision.
inline constexpr double kGflopPerSecondOfCore = 563.2 / kCores;

// The socket of each core, in order.
std::vector<int> SocketsOfCores();

// Sockets x sockets: 10 for a socket itself, 6 more for each link between two.
std::vector<std::uint64_t> SocketDistances();

}  // namespace matmul
