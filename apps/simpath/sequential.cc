#include "apps/simpath/sequential.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "apps/simpath/hash.h"
#include "apps/simpath/level.h"
#include "apps/simpath/mates.h"
#include "apps/simpath/sum.h"

namespace simpath {
namespace {

// Found mates wait here while the memory that they go to is fetched.
template <int words>
class Batch {
 public:
  explicit Batch(Level<words>& level) : level_(&level) {}

  // The count stays where it is until the next Flush.
  void Add(const Mates<words>& mates, std::span<const std::uint64_t> count) {
    if (size_ == kSize) Flush();
    const std::uint64_t hash = HashOf(mates);
    level_->Prefetch(hash);
    found_[size_++] = {mates, hash, count};
  }
  void Flush() {
    for (std::size_t i = 0; i < size_; ++i) {
      fits_ = level_->Add(found_[i].mates, found_[i].hash, found_[i].count) && fits_;
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
    std::span<const std::uint64_t> count;
  };
  Level<words>* level_;
  std::array<Found, kSize> found_;
  std::size_t size_ = 0;
  bool fits_ = true;
};

// Ways, of all states.
template <int words>
Count OpenWays(const Level<words>& level) {
  Sum sum(level.count_words());
  level.ForEach([&](const Mates<words>&, std::span<const std::uint64_t> count) { sum.Add(count); });
  return sum.count();
}

template <int words>
absl::StatusOr<Count> CountBy(const Plan& plan, const Layout& layout, const CountOptions& options) {
  Level<words> level(1, 0, options.memory_limit);
  bool fits = true;
  std::size_t first_step = 0;
  Count paths;
  if (const auto position = TakePosition(options)) {
    if (position->mate_words != words) return OtherMates(*position);
    level = Level<words>(position->count_words, position->states, options.memory_limit);
    first_step = position->steps;
    paths = position->paths;
    std::vector<std::uint64_t> state(words + position->count_words);
    for (std::size_t i = 0; i < position->states; ++i) {
      if (absl::Status status = options.checkpoint->ReadState(state); !status.ok()) return status;
      Mates<words> mates;
      for (std::size_t word = 0; word < words; ++word) mates.word[word] = state[word];
      fits = level.Add(mates, HashOf(mates), std::span(state).subspan(words)) && fits;
    }
  } else {
    const std::uint64_t one = 1;
    fits = level.Add({}, HashOf(Mates<words>{}), {&one, 1});
  }
  Count open = OpenWays(level);
  for (std::size_t i = first_step; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const bool is_weighted = step.weight != Count(1);
    const std::size_t next_words = CountWordsAfter(step, open);
    const std::uint64_t room =
        options.memory_limit - std::min<std::uint64_t>(level.bytes(), options.memory_limit);
    Level<words> next(next_words, level.size(), room);
    Batch<words> batch(next);
    Sum ended(next_words);
    std::vector<std::uint64_t> product(next_words);
    level.ForEach([&](const Mates<words>& mates, std::span<const std::uint64_t> count) {
      const Decided<words> decided = Decide(layout, step, mates);
      if (decided.without == Outcome::kOpen) batch.Add(decided.left_out, count);
      if (decided.with == Outcome::kDead) return;
      if (is_weighted) {
        MultiplyWords(product, count, step.weight.words());
        count = product;
      }
      if (decided.with == Outcome::kPath) ended.Add(count);
      if (decided.with != Outcome::kOpen) return;
      batch.Add(decided.taken, count);
      if (is_weighted) batch.Flush();  // The product is overwritten by the next.
    });
    batch.Flush();
    fits = fits && batch.fits();
    if (!fits) return TooWide(plan, i, options);
    paths += ended.count();
    open = OpenWays(next);
    level = std::move(next);
    if (options.progress) options.progress({i, level.size()});
    if (options.checkpoint != nullptr && options.checkpoint->is_due()) {
      const absl::Status status = options.checkpoint->Write(
          {i + 1, paths, words, level.count_words(), level.size()}, [&](const auto& add) {
            level.ForEach([&](const Mates<words>& mates, std::span<const std::uint64_t> count) {
              add(std::span<const std::uint64_t>(mates.word));
              add(count);
            });
          });
      if (!status.ok()) return status;
    }
  }
  return paths;
}

}  // namespace

absl::StatusOr<Count> CountSequentially(const Plan& plan, const CountOptions& options) {
  const Layout layout(plan.slots);
  return WithWords<Count>(layout,
                          [&]<int words>() { return CountBy<words>(plan, layout, options); });
}

}  // namespace simpath
