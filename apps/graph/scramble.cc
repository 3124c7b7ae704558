#include "apps/graph/scramble.h"

#include <iterator>

namespace graph {
namespace {

// Newton's iteration: each step doubles the number of right bits, of which an odd number has three
// as its own inverse.
std::uint32_t InverseOf(std::uint32_t odd) {
  std::uint32_t inverse = odd;
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

}  // namespace

Scramble::Scramble(int scale, std::uint64_t seed)
    : mask_((std::uint32_t{1} << scale) - 1), fold_((scale + 1) / 2) {
  // Bits of factor and summand at `scale` and above have no effect: the mask drops what they
  // change.
  std::uint64_t random = Mix(seed ^ 0x6c62272e07bb0142);
  for (Round& round : rounds_) {
    random = Mix(random + 0x9e3779b97f4a7c15);
    round.factor = static_cast<std::uint32_t>(random) | 1;
    round.inverse = InverseOf(round.factor);
    round.summand = static_cast<std::uint32_t>(random >> 32);
  }
}

Vertex Scramble::Inverse(Vertex vertex) const {
  for (auto round = std::rbegin(rounds_); round != std::rend(rounds_); ++round) {
    vertex ^= vertex >> fold_;
    vertex = ((vertex - round->summand) * round->inverse) & mask_;
  }
  return vertex;
}

}  // namespace graph
