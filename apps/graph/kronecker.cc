#include "apps/graph/kronecker.h"

#include <string>

namespace graph {
namespace {

// Two levels are chosen at once, in the two halves of a 64-bit word. The upper bit of each half is
// a guard: it is set before a subtraction, and is left set where nothing was borrowed from it.
constexpr std::uint64_t Both(std::uint64_t half) { return half << 32 | half; }
constexpr std::uint64_t kGuards = Both(std::uint64_t{1} << 31);

// A probability as a number of 2^-31, in both halves.
constexpr std::uint64_t Fixed(std::uint64_t percent) { return Both(((percent << 31) + 50) / 100); }

constexpr std::uint64_t kA = Fixed(57);
constexpr std::uint64_t kAb = Fixed(57 + 19);
constexpr std::uint64_t kAbc = Fixed(57 + 19 + 19);

// The fractional part of the golden ratio: multiples of it are far from each other.
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t KeyOf(const Kronecker& kronecker) {
  return Mix(Mix(kronecker.seed + kGolden) + static_cast<std::uint64_t>(kronecker.scale) * kGolden);
}

// `halves`: a bit for each word in both. The upper half's last one is surplus where scale is odd.
Vertex Joined(std::uint64_t halves, int scale) {
  const auto upper = static_cast<Vertex>(halves >> 32) >> scale % 2;
  return upper << (scale + 1) / 2 | static_cast<Vertex>(halves);
}

// `key`: KeyOf.
inline Edge EdgeAt(std::uint64_t key, int scale, std::uint64_t index) {
  // Each index has its own sequence of words.
  std::uint64_t counter = Mix(key + index * kGolden);
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  for (int level = 0; level < scale; level += 2) {
    const std::uint64_t random = Mix(counter += kGolden) | kGuards;
    const std::uint64_t beyond_a = random - kA;
    const std::uint64_t beyond_ab = random - kAb;
    const std::uint64_t beyond_abc = random - kAbc;
    from = from << 1 | (beyond_ab & kGuards) >> 31;
    to = to << 1 | ((beyond_a ^ beyond_ab ^ beyond_abc) & kGuards) >> 31;
  }
  return {Joined(from, scale), Joined(to, scale)};
}

}  // namespace

absl::Status Check(const Kronecker& kronecker) {
  if (kronecker.scale < 1 || kronecker.scale > 31) {
    return absl::InvalidArgumentError("scale " + std::to_string(kronecker.scale) +
                                      ": expected 1 to 31");
  }
  constexpr std::uint64_t kMaxEdgeFactor = 1 << 20;
  if (kronecker.edge_factor < 1 || kronecker.edge_factor > kMaxEdgeFactor) {
    return absl::InvalidArgumentError("edge factor " + std::to_string(kronecker.edge_factor) +
                                      ": expected 1 to " + std::to_string(kMaxEdgeFactor));
  }
  return absl::OkStatus();
}

Scramble ScrambleOf(const Kronecker& kronecker) { return {kronecker.scale, KeyOf(kronecker)}; }

void GenerateUnscrambled(const Kronecker& kronecker, std::uint64_t first, std::span<Edge> out) {
  const std::uint64_t key = KeyOf(kronecker);
  for (Edge& edge : out) edge = EdgeAt(key, kronecker.scale, first++);
}

void Generate(const Kronecker& kronecker, std::uint64_t first, std::span<Edge> out) {
  const std::uint64_t key = KeyOf(kronecker);
  const Scramble scramble = ScrambleOf(kronecker);
  for (Edge& edge : out) {
    const Edge plain = EdgeAt(key, kronecker.scale, first++);
    edge = {scramble(plain.from), scramble(plain.to)};
  }
}

}  // namespace graph
