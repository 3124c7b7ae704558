#include "apps/matmul/workers.h"

#include <cstddef>

namespace matmul {
namespace {

// Both operators, so that no number is forgotten in one of them.
template <typename F>
void ForEachNumber(Work& to, const Work& from, F combine) {
  combine(to.spawns, from.spawns);
  combine(to.steals, from.steals);
  combine(to.empty, from.empty);
  combine(to.lost, from.lost);
  combine(to.parks, from.parks);
  for (std::size_t i = 0; i < to.steals_by_depth.size(); ++i) {
    combine(to.steals_by_depth[i], from.steals_by_depth[i]);
  }
}

}  // namespace

std::string_view ToString(Mode mode) { return mode == Mode::kReal ? "real" : "simulated"; }

Work& Work::operator+=(const Work& other) {
  ForEachNumber(*this, other, [](std::int64_t& to, std::int64_t from) { to += from; });
  return *this;
}

Work& Work::operator-=(const Work& other) {
  ForEachNumber(*this, other, [](std::int64_t& to, std::int64_t from) { to -= from; });
  return *this;
}

absl::StatusOr<std::unique_ptr<Workers>> StartWorkers(Mode mode, int workers, std::uint64_t seed) {
  return mode == Mode::kReal ? StartRealWorkers(workers, seed) : StartSimulatedWorkers(workers);
}

}  // namespace matmul
