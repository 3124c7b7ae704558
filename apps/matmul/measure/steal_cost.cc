#include "apps/matmul/measure/steal_cost.h"

#include <algorithm>
#include <cstddef>

namespace matmul {
namespace {

// Null where it was not measured.
const Row* Find(const std::vector<Row>& rows, Variant variant, const StealRule& rule, int workers) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.variant == variant && row.rule == rule && row.workers == workers;
  });
  return found == rows.end() ? nullptr : &*found;
}

const Row* FindCutoff(const std::vector<Row>& rows, int workers) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.variant == Variant::kCutoff && row.workers == workers;
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

void TakeStealCosts(std::vector<Row>& rows) {
  for (Row& row : rows) {
    if (row.work.steals == 0 || row.variant == Variant::kIdeal) continue;
    if (row.mode == Mode::kSimulated) {
      const Row* const cutoff = FindCutoff(rows, row.workers);
      if (cutoff == nullptr || cutoff == &row) continue;
      row.extra_blocks_per_steal = (row.blocks_each() - cutoff->blocks_each()) / row.steals_each();
    } else if (row.workers > 1) {
      const Row* const one = Find(rows, row.variant, row.rule, 1);
      if (one == nullptr) continue;
      const double lost = row.workers * row.seconds_median() - one->seconds_median();
      row.lost_ns_per_steal = lost * 1e9 / row.steals_each();
    }
  }
}

}  // namespace matmul
