// What all ways to count edge by edge are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/frontier/count_checkpoint.h"
#include "apps/simpath/frontier/plan.h"

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
};

// The error of a stage whose states need more than the limit.
inline absl::Status TooWide(const Plan& plan, const Stage& stage, const CountOptions& options) {
  return absl::ResourceExhaustedError(
      absl::StrCat("step ", stage.first + 1, " of ", plan.steps.size(), ", whose frontier has ",
                   plan.widths[stage.first], " vertices, has more states than ",
                   options.memory_limit, " bytes hold"));
}

inline std::optional<CountCheckpoint::Position> TakePosition(const CountOptions& options) {
  if (options.checkpoint == nullptr) return std::nullopt;
  return options.checkpoint->TakePosition();
}

// The error of a checkpoint whose states are of other words than the plan's.
inline absl::Status OtherMates(const CountCheckpoint::Position& position) {
  return absl::DataLossError(absl::StrCat("the checkpoint's mates have ", position.mate_words,
                                          " words each, not the plan's"));
}

}  // namespace simpath
