#include "apps/simpath/frontier/sequential.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "apps/simpath/frontier/decide.h"
#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/level.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/residue.h"
#include "apps/simpath/frontier/stage_errors.h"
#include "apps/simpath/frontier/sum.h"

namespace simpath {
namespace {

// Ways, of all states.
template <int words>
Count OpenWays(const Level<words>& level) {
  Sum sum(level.count_words());
  level.ForEach([&](const Mates<words>&, std::span<const std::uint64_t> count) { sum.Add(count); });
  return sum.count();
}

template <int words>
absl::StatusOr<Count> CountBy(const Plan& plan, const Layout& layout, const CountOptions& options) {
  const Rules<words> rules(plan, layout);
  Batch<words> batch(rules);
  std::array<std::span<const std::uint64_t>, Batch<words>::kStates> counts;
  std::array<Residue, Batch<words>::kStates> residues;
  Level<words> level(1, 0, options.memory_limit);
  FlowCheck check(options.check);
  bool fits = true;
  std::size_t first_step = 0;
  Count paths;
  if (const auto position = TakePosition(options)) {
    absl::Status status = CheckPosition(plan, *position, words, options.check);
    if (!status.ok()) return status;
    level = Level<words>(position->count_words, position->states, options.memory_limit);
    first_step = position->steps;
    paths = position->paths;
    check.GoOn(position->check);
    std::vector<std::uint64_t> state(words + position->count_words);
    for (std::size_t i = 0; i < position->states; ++i) {
      if (status = options.checkpoint->ReadState(state); !status.ok()) return status;
      Mates<words> mates;
      for (std::size_t word = 0; word < words; ++word) mates.word[word] = state[word];
      fits = level.Add(mates, HashOf(mates), std::span(state).subspan(words)) && fits;
    }
  } else {
    const std::uint64_t one = 1;
    fits = level.Add({}, HashOf(Mates<words>{}), {&one, 1});
    check.Start(HashOf(Mates<words>{}));
  }
  Count open = OpenWays(level);  // or a bound of them
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    const Stage& stage = plan.stages[number];
    if (stage.first < first_step) continue;
    if (CountWordsAfter(stage, open, options) > level.count_words()) open = OpenWays(level);
    const std::size_t next_words = CountWordsAfter(stage, open, options);
    const std::uint64_t room =
        options.memory_limit - std::min<std::uint64_t>(level.bytes(), options.memory_limit);
    Level<words> next(next_words, level.size(), room);
    Sum ended(next_words);
    std::vector<std::uint64_t> product(next_words);
    const bool cuts_off = options.most_bits != CountOptions::kAllBits;
    const auto weighted = [&](const Way<words>& way) {
      if (!stage.is_weighted) return counts[way.state];
      MultiplyWords(product, counts[way.state], stage.weights[way.choice].words());
      return std::span<const std::uint64_t>(product);
    };
    const std::vector<Residue> weights = ResiduesOf(stage.weights);
    Flow read, given;
    Residue ended_residue;
    // Calls body(count, residue) unless the whole count is cut off.
    const auto with_count = [&](const Way<words>& way, const auto& body) {
      std::span<const std::uint64_t> count = weighted(way);
      Residue residue = residues[way.state];
      if (stage.is_weighted) residue = residue * weights[way.choice];
      if (cuts_off) {
        std::copy(count.begin(), count.end(), product.begin());
        std::fill(product.begin() + static_cast<std::ptrdiff_t>(count.size()), product.end(), 0);
        if (!CutOff(product, options)) return;
        count = product;
        residue = Residue(count);
      }
      body(count, residue);
    };
    const auto decide = [&] {
      const auto ways = batch.Decide(number, [&](const Way<words>& way) {
        with_count(way, [&](std::span<const std::uint64_t> count, Residue residue) {
          ended.Add(count);
          ended_residue = ended_residue + residue;
        });
      });
      // The memory that they go to is fetched for all before it is used.
      for (const Way<words>& way : ways) next.Prefetch(HashOf(way.mates));
      for (const Way<words>& way : ways) {
        const std::uint64_t hash = HashOf(way.mates);
        with_count(way, [&](std::span<const std::uint64_t> count, Residue residue) {
          fits = next.Add(way.mates, hash, count) && fits;
          given.Add(hash, residue);
        });
      }
    };
    level.ForEach([&](const Mates<words>& mates, std::span<const std::uint64_t> count) {
      counts[batch.size()] = count.first(std::min(count.size(), next_words));
      if (check.is_on()) {
        residues[batch.size()] = Residue(count);
        read.Add(HashOf(mates), residues[batch.size()]);
      }
      batch.Add(mates);
      if (batch.is_full()) decide();
    });
    decide();
    if (!fits) return TooWide(plan, stage, options.memory_limit);
    if (!check.Pass(read.residue(), given.residue(), ended_residue)) {
      return Inconsistent(plan, stage);
    }
    paths += ended.count();
    open = open * stage.most_ways;
    level = std::move(next);
    if (options.open_bits != nullptr) RaiseOpenBits(open = OpenWays(level), options);
    if (options.progress) options.progress({stage.last - 1, level.size()});
    if (options.checkpoint != nullptr && options.checkpoint->is_due()) {
      const absl::Status status = options.checkpoint->Write(
          {stage.last, paths, words, level.count_words(), level.size(), check.state()},
          [&](const auto& add) {
            level.ForEach([&](const Mates<words>& mates, std::span<const std::uint64_t> count) {
              add(std::span<const std::uint64_t>(mates.word));
              add(count);
            });
          });
      if (!status.ok()) return status;
    }
  }
  RaiseOpenBits(paths, options);
  if (!plan.stages.empty() && !check.End(paths.words())) {
    return Inconsistent(plan, plan.stages.back());
  }
  return paths;
}

}  // namespace

absl::StatusOr<Count> CountSequentially(const Plan& plan, const CountOptions& options) {
  const Layout layout = LayoutOf(plan);
  return WithWords<Count>(layout,
                          [&]<int words>() { return CountBy<words>(plan, layout, options); });
}

}  // namespace simpath
