#include "apps/simpath/sequential.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/level.h"
#include "apps/simpath/mates.h"

namespace simpath {
namespace {

// Found mates wait here while the memory that they go to is fetched.
template <int words>
class Batch {
 public:
  explicit Batch(Level<words>& level) : level_(&level) {}

  void Add(const Mates<words>& mates, const std::uint64_t* count, std::size_t count_words) {
    if (size_ == kSize) Flush(count_words);
    const std::uint64_t hash = HashOf(mates);
    level_->Prefetch(hash);
    found_[size_++] = {mates, hash, count};
  }
  void Flush(std::size_t count_words) {
    for (std::size_t i = 0; i < size_; ++i) {
      fits_ = level_->Add(found_[i].mates, found_[i].hash, found_[i].count, count_words) && fits_;
    }
    size_ = 0;
  }
  // Whether all had room.
  bool fits() const { return fits_; }

 private:
  static constexpr std::size_t kSize = 32;
  struct Found {
    Mates<words> mates;
    std::uint64_t hash = 0;
    const std::uint64_t* count = nullptr;
  };
  Level<words>* level_;
  std::array<Found, kSize> found_;
  std::size_t size_ = 0;
  bool fits_ = true;
};

template <int words>
Count SumOf(const Level<words>& level) {
  std::vector<std::uint64_t> sum(level.count_words() + 1, 0);
  level.ForEach([&](const Mates<words>&, const std::uint64_t* count) {
    unsigned __int128 carry = 0;
    for (std::size_t word = 0; word < sum.size(); ++word) {
      carry += sum[word];
      if (word < level.count_words()) carry += count[word];
      sum[word] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  });
  return Count(sum);
}

template <int words>
absl::StatusOr<Count> CountBy(const Plan& plan, const Layout& layout, const CountOptions& options) {
  Level<words> level(1, 0, options.memory_limit);
  const std::uint64_t one = 1;
  bool fits = level.Add({}, HashOf(Mates<words>{}), &one, 1);
  Count paths;
  // Of all ways that are open. A step makes them 1 + weight times as many at most, so no count of
  // the next level has more bits than the weight has in addition.
  Count open = 1;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const auto next_words = static_cast<std::size_t>(open.bits() + step.weight.bits() + 63) / 64;
    const std::uint64_t room =
        options.memory_limit - std::min<std::uint64_t>(level.bytes(), options.memory_limit);
    Level<words> next(next_words, level.size(), room);
    Batch<words> batch(next);
    level.ForEach([&](Mates<words> mates, const std::uint64_t* count) {
      Enter(layout, step, mates);
      Mates<words> without = mates;
      if (Leave(layout, step, without) == Outcome::kOpen)
        batch.Add(without, count, level.count_words());
      const Outcome outcome = Take(layout, step, mates);
      if (outcome == Outcome::kDead) return;
      if (outcome == Outcome::kOpen && step.weight == 1) {
        batch.Add(mates, count, level.count_words());
        return;
      }
      const Count ways = Count({count, level.count_words()}) * step.weight;
      if (outcome == Outcome::kPath) {
        paths += ways;
      } else {
        fits = next.Add(mates, HashOf(mates), ways.words().data(), ways.words().size()) && fits;
      }
    });
    batch.Flush(level.count_words());
    fits = fits && batch.fits();
    if (!fits) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "step ", i + 1, " of ", plan.steps.size(), ", whose frontier has ", plan.widths[i],
          " vertices, has more states than ", options.memory_limit, " bytes hold"));
    }
    open = SumOf(next);
    level = std::move(next);
    if (options.progress) options.progress({i, level.size()});
  }
  return paths;
}

}  // namespace

absl::StatusOr<Count> CountSequentially(const Plan& plan, const CountOptions& options) {
  const Layout layout(plan.slots);
  switch (layout.words()) {
    case 1:
      return CountBy<1>(plan, layout, options);
    case 2:
      return CountBy<2>(plan, layout, options);
    case 3:
      return CountBy<3>(plan, layout, options);
    case 4:
      return CountBy<4>(plan, layout, options);
    case 5:
    case 6:
    case 7:
    case 8:
      return CountBy<8>(plan, layout, options);
    default:
      return absl::UnimplementedError(
          absl::StrCat("the frontier has ", plan.slots, " vertices: mates have room for about 70"));
  }
}

}  // namespace simpath
