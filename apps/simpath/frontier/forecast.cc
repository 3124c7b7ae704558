#include "apps/simpath/frontier/forecast.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "apps/simpath/frontier/decide.h"
#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/level.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/stage_errors.h"

namespace simpath {
namespace {

// A value: about top * 2^below, of a weight.
struct Factor {
  explicit Factor(const Count& weight) {
    for (const std::uint64_t word : weight.words()) {
      top = top >> 64 | static_cast<unsigned __int128>(word) << 64;
      below += 64;
    }
    below -= 128;
    const int unused = weight.bits() % 64 == 0 ? 0 : 64 - weight.bits() % 64;
    const int dropped = 96 - unused;  // 32 bits are left
    top >>= dropped;
    below += dropped;
  }
  // count * weight / 2^shift, rounded up.
  std::uint64_t Times(std::uint64_t count, int shift) const {
    const unsigned __int128 product = top * count;
    const int right = shift - below;
    if (right < 0) return static_cast<std::uint64_t>(product << -right);
    const int dropped = std::min(right, 127);
    const unsigned __int128 rounded_down = product >> dropped;
    return static_cast<std::uint64_t>(rounded_down) + (rounded_down << dropped != product ? 1 : 0);
  }

  unsigned __int128 top = 0;
  int below = 0;
};

template <int words>
absl::StatusOr<std::vector<LevelForecast>> ForecastBy(const Plan& plan, const Layout& layout,
                                                      const CountOptions& options,
                                                      std::uint64_t most_states) {
  const Rules<words> rules(plan, layout);
  Batch<words> batch(rules);
  std::array<std::uint64_t, Batch<words>::kStates> counts;
  Level<words> level(1, 0, options.memory_limit);
  const std::uint64_t one = 1;
  bool fits = level.Add({}, HashOf(Mates<words>{}), {&one, 1});
  // All counts are in units of 2^unit. `open` is the sum of them.
  int unit = 0;
  std::uint64_t open = 1;
  std::vector<LevelForecast> levels;
  std::uint64_t bytes_before = 0, made = 0;
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    const Stage& stage = plan.stages[number];
    made += level.size();
    if (made > most_states) break;
    // What a count is multiplied by, by edges that are taken: bits of a bound.
    const int more_bits = stage.most_ways.bits();
    const int shift = std::max(0, static_cast<int>(std::bit_width(open)) + more_bits - 63);
    unit += shift;
    const std::uint64_t room =
        options.memory_limit - std::min<std::uint64_t>(level.bytes(), options.memory_limit);
    Level<words> next(1, level.size(), room);
    std::size_t found = 0;
    open = 0;
    std::vector<Factor> factors(stage.weights.begin(), stage.weights.end());
    if (!stage.is_weighted) factors.assign(stage.choices, Factor(1));
    const auto decide = [&] {
      const auto ways = batch.Decide(number, [](const Way<words>&) {});
      for (const Way<words>& way : ways) next.Prefetch(HashOf(way.mates));
      for (const Way<words>& way : ways) {
        const std::uint64_t count = factors[way.choice].Times(counts[way.state], shift);
        fits = next.Add(way.mates, HashOf(way.mates), {&count, 1}) && fits;
        open += count;
      }
      found += ways.size();
    };
    level.ForEach([&](const Mates<words>& mates, std::span<const std::uint64_t> count) {
      counts[batch.size()] = count[0];
      batch.Add(mates);
      if (batch.is_full()) decide();
    });
    decide();
    if (!fits) return TooWide(plan, stage, options.memory_limit);
    level = std::move(next);
    const int count_bits = unit + static_cast<int>(std::bit_width(open));
    const std::uint64_t entry =
        sizeof(std::uint64_t) * (words + static_cast<std::uint64_t>(count_bits + 63) / 64);
    const std::uint64_t bytes = entry * level.size();
    levels.push_back({.step = stage.last - 1,
                      .width = plan.widths[stage.last - 1],
                      .states = level.size(),
                      .count_bits = count_bits,
                      .bytes = std::max(bytes_before, entry * found) + bytes});
    bytes_before = bytes;
    if (options.progress) options.progress({stage.last - 1, level.size()});
  }
  return levels;
}

}  // namespace

absl::StatusOr<std::vector<LevelForecast>> ForecastStates(const Plan& plan,
                                                          const CountOptions& options,
                                                          std::uint64_t most_states) {
  const Layout layout = LayoutOf(plan);
  return WithWords<std::vector<LevelForecast>>(
      layout, [&]<int words>() { return ForecastBy<words>(plan, layout, options, most_states); });
}

}  // namespace simpath
