#include "lwt/workloads/uts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace uts {
namespace {

constexpr int kRootSeed = 19;
constexpr int kMostDepth = 10;
constexpr double kMeanChildren = 4;
constexpr int kMostChildren = 100;

void Append(int number, std::uint8_t* at) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
}

}  // namespace

Node RootOfT1() {
  std::array<std::uint8_t, 20> seed{};
  Append(kRootSeed, &seed[16]);
  return {Sha1(seed), 0};
}

int ChildrenOf(const Node& node) {
  if (node.depth >= kMostDepth) return 0;
  std::uint32_t random = 0;
  for (std::size_t i = 16; i < 20; ++i) random = random << 8 | node.digest[i];
  const double uniform = static_cast<double>(random & 0x7FFFFFFF) / 2147483648.0;
  static const double kLogOfStay = std::log(1 - 1 / (1 + kMeanChildren));
  return std::min(kMostChildren, static_cast<int>(std::log(1 - uniform) / kLogOfStay));
}

Node ChildOf(const Node& node, int number) {
  std::array<std::uint8_t, 24> message;
  std::copy(node.digest.begin(), node.digest.end(), message.begin());
  Append(number, &message[20]);
  return {Sha1(message), node.depth + 1};
}

}  // namespace uts
