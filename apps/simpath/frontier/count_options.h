// What all ways to count edge by edge are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/frontier/count_checkpoint.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/residue.h"

namespace simpath {

// A value: a step that is done.
struct Done {
  std::size_t step = 0;
  std::size_t states = 0;  // distinct mates after it
};

// A value.
struct CountOptions {
  std::uint64_t memory_limit = ~std::uint64_t{0};  // bytes of all states
  std::function<void(const Done&)> progress;
  CountCheckpoint* checkpoint = nullptr;  // where the count goes on, and is written
  Check check = Check::kOn;
  // Higher bits of counts are cut off.
  static constexpr std::size_t kAllBits = ~std::size_t{0};
  std::size_t most_bits = kAllBits;
  // If not null: raised to the bits of the sum of all counts after a stage, and of all paths.
  int* open_bits = nullptr;
};

// Words of counts after the stage, with `open` ways in all before the stage.
inline std::size_t CountWordsAfter(const Stage& stage, const Count& open,
                                   const CountOptions& options) {
  const std::size_t words = CountWordsAfter(stage, open);
  if (options.most_bits == CountOptions::kAllBits) return words;
  return std::min(words, (options.most_bits + 63) / 64);
}

// Cuts off the bits from options.most_bits on. Whether the rest is not zero.
inline bool CutOff(std::span<std::uint64_t> count, const CountOptions& options) {
  const std::size_t last = options.most_bits / 64;
  if (last < count.size()) {
    count[last] &= (std::uint64_t{1} << options.most_bits % 64) - 1;
    for (std::uint64_t& above : count.subspan(last + 1)) above = 0;
  }
  return std::any_of(count.begin(), count.end(), [](std::uint64_t word) { return word != 0; });
}

inline void RaiseOpenBits(const Count& count, const CountOptions& options) {
  if (options.open_bits == nullptr) return;
  *options.open_bits = std::max(*options.open_bits, count.bits());
}

inline std::optional<CountCheckpoint::Position> TakePosition(const CountOptions& options) {
  if (options.checkpoint == nullptr) return std::nullopt;
  return options.checkpoint->TakePosition();
}

// DataLoss for a position that is none of the plan's, whose mates have so many words;
// FailedPrecondition for one of a count without a check where this one has one.
inline absl::Status CheckPosition(const Plan& plan, const CountCheckpoint::Position& position,
                                  std::size_t mate_words, Check check) {
  if (position.mate_words != mate_words || position.count_words == 0) {
    return absl::DataLossError(absl::StrCat("the checkpoint's states have ", position.mate_words,
                                            " words of mates and ", position.count_words,
                                            " of a count, the plan's ", mate_words, " of mates"));
  }
  const bool ends_a_stage =
      std::any_of(plan.stages.begin(), plan.stages.end(),
                  [&](const Stage& stage) { return stage.last == position.steps; });
  if (!ends_a_stage) {
    return absl::DataLossError(absl::StrCat("the checkpoint is of step ", position.steps,
                                            ", after which the plan looks for no states"));
  }
  if (check == Check::kOn && !position.check.is_on) {
    return absl::FailedPreconditionError(
        "the checkpoint was written with --no-check, and goes on with --no-check only");
  }
  return absl::OkStatus();
}

}  // namespace simpath
