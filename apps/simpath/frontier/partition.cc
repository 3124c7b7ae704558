#include "apps/simpath/frontier/partition.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/simpath/frontier/chunks.h"
#include "apps/simpath/frontier/decide.h"
#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/sum.h"
#include "lwt/parallel.h"
#include "lwt/worker_local.h"

namespace simpath {
namespace {

// Entries are mates, then a count.
template <int words>
class Counter {
 public:
  Counter(const Plan& plan, const Layout& layout, lwt::Pool& pool, const CountOptions& options)
      : plan_(plan),
        rules_(plan, layout),
        options_(options),
        workers_(pool.workers()),
        budget_(options.memory_limit),
        store_(budget_),
        found_(pool, rules_) {}

  // By a lightweight thread of the pool.
  absl::StatusOr<Count> Run() {
    if (plan_.stages.empty()) return paths_;
    std::size_t first_step = 0;
    if (const auto position = TakePosition(options_)) {
      absl::Status status = CheckPosition(plan_, *position, words);
      if (!status.ok()) return status;
      if (!HasRoomFor(position->count_words)) return TooManyBits(position->steps);
      if (status = Read(*position); !status.ok()) return status;
      first_step = position->steps;
    } else {
      const std::uint64_t one = 1;
      level_.emplace_back(store_, words + 1);
      std::uint64_t* const entry = level_[0].Add();
      if (entry == nullptr) return TooWide(plan_, plan_.stages[0], options_);
      Set(entry, Mates<words>{}, {&one, 1});
    }
    for (const Stage& stage : plan_.stages) {
      if (stage.first < first_step) continue;
      if (CountWordsAfter(stage, open_) > count_words_) open_ = OpenWays();
      if (!HasRoomFor(CountWordsAfter(stage, open_))) return TooManyBits(stage.last);
      const std::size_t states = Pass(stage);
      if (!fits_) return TooWide(plan_, stage, options_);
      if (options_.progress) options_.progress({stage.last - 1, states});
      if (options_.checkpoint == nullptr || !options_.checkpoint->is_due()) continue;
      if (absl::Status status = Write(stage.last); !status.ok()) return status;
    }
    return paths_;
  }

 private:
  // What one worker has put aside for each part, and its sums.
  struct Found {
    std::vector<ChunkList> parts;
    explicit Found(const Rules<words>& rules) : batch(rules) {}

    Batch<words> batch;
    Sum paths, open;
    std::vector<std::uint64_t> product;
    std::vector<std::uint32_t> index;
  };

  // Bytes of a part: a core's second cache has it and its index.
  static constexpr std::uint64_t kPartBytes = 192 << 10;
  static constexpr int kMostPartBits = 14;

  // log2 of the parts for so many entries.
  int PartBitsFor(std::size_t entries, std::size_t stride) const {
    const std::uint64_t bytes = entries * stride * sizeof(std::uint64_t);
    const std::uint64_t parts = bytes / kPartBytes + 1;
    // Workers finish together where there are some parts for each.
    const std::uint64_t least = entries < 4096 ? 1 : static_cast<std::uint64_t>(workers_) * 4;
    return std::min(kMostPartBits, static_cast<int>(std::bit_width(std::max(parts, least) - 1)));
  }

  // From a checkpoint, into parts as a step would make them but without their order of hashes,
  // which the next step does not need.
  absl::Status Read(const CountCheckpoint::Position& position) {
    count_words_ = position.count_words;
    states_ = position.states;
    paths_ = position.paths;
    const std::size_t stride = words + count_words_;
    const std::size_t a_part = (states_ >> PartBitsFor(states_, stride)) + 1;
    for (std::size_t i = 0; i < states_; ++i) {
      if (i % a_part == 0) level_.emplace_back(store_, stride);
      std::uint64_t* const entry = level_.back().Add();
      if (entry == nullptr) {
        fits_ = false;
        return absl::OkStatus();
      }
      absl::Status status = options_.checkpoint->ReadState({entry, stride});
      if (!status.ok()) return status;
    }
    open_ = OpenWays();
    return absl::OkStatus();
  }
  absl::Status Write(std::size_t steps) {
    const std::size_t stride = words + count_words_;
    return options_.checkpoint->Write(
        {steps, paths_, words, count_words_, states_}, [&](const auto& add) {
          for (const ChunkList& part : level_) {
            part.ForEach([&](const std::uint64_t* entry) { add(std::span(entry, stride)); });
          }
        });
  }

  // An entry lies in one chunk.
  static bool HasRoomFor(std::size_t count_words) {
    return count_words <= ChunkStore::kWords - words;
  }
  static absl::Status TooManyBits(std::size_t step) {
    return absl::UnimplementedError(
        absl::StrCat("the counts of step ", step, " have more bits than a chunk of states holds"));
  }

  static void Set(std::uint64_t* entry, const Mates<words>& mates,
                  std::span<const std::uint64_t> count) {
    for (std::size_t i = 0; i < words; ++i) entry[i] = mates.word[i];
    for (std::size_t i = 0; i < count.size(); ++i) entry[words + i] = count[i];
  }
  static Mates<words> MatesOf(const std::uint64_t* entry) {
    Mates<words> mates;
    for (std::size_t i = 0; i < words; ++i) mates.word[i] = entry[i];
    return mates;
  }

  // Returns the states after the stage.
  std::size_t Pass(const Stage& stage) {
    const std::size_t next_words = CountWordsAfter(stage, open_);
    // Counts may have fewer words than before.
    const std::size_t found_words =
        stage.is_weighted ? next_words : std::min(count_words_, next_words);
    part_bits_ = PartBitsFor(states_ * 3 / 2, words + next_words);
    const std::size_t parts = std::size_t{1} << part_bits_;
    for (Found& found : found_) {
      found.parts.clear();
      for (std::size_t i = 0; i < parts; ++i) found.parts.emplace_back(store_, words + found_words);
      found.paths = Sum(next_words);
      found.product.assign(next_words, 0);
    }
    lwt::ParallelFor(
        0, static_cast<std::int64_t>(level_.size()), 1, [&](std::int64_t begin, std::int64_t) {
          Expand(stage, found_words, level_[static_cast<std::size_t>(begin)], found_.Here());
        });
    std::vector<ChunkList> next;
    for (std::size_t i = 0; i < parts; ++i) next.emplace_back(store_, words + next_words);
    lwt::ParallelFor(0, static_cast<std::int64_t>(parts), 1, [&](std::int64_t begin, std::int64_t) {
      Merge(static_cast<std::size_t>(begin), found_words, next_words,
            next[static_cast<std::size_t>(begin)]);
    });
    level_ = std::move(next);
    count_words_ = next_words;
    open_ = open_ * stage.all_weights;
    for (Found& found : found_) paths_ += found.paths.count();
    states_ = 0;
    for (const ChunkList& part : level_) states_ += part.size();
    return states_;
  }

  // Counts come to so many words.
  void Expand(const Stage& stage, std::size_t to_words, ChunkList& part, Found& found) {
    bool fits = true;
    Batch<words>& batch = found.batch;
    std::array<const std::uint64_t*, Batch<words>::kStates> counts;
    const auto weighted = [&](const Way<words>& way) {
      const std::span<const std::uint64_t> count(counts[way.state], count_words_);
      if (!stage.is_weighted) return count.first(to_words);
      MultiplyWords(found.product, count, stage.weights[way.taken].words());
      return std::span<const std::uint64_t>(found.product);
    };
    const auto decide = [&] {
      const auto ways =
          batch.Decide(stage, [&](const Way<words>& way) { found.paths.Add(weighted(way)); });
      for (const Way<words>& way : ways) {
        ChunkList& to = found.parts[(HashOf(way.mates) >> 32) >> (32 - part_bits_)];
        std::uint64_t* const entry = to.Add();
        if (entry == nullptr) {
          fits = false;
          return;
        }
        Set(entry, way.mates, weighted(way));
      }
    };
    // A chunk is given back once all of its states are decided.
    part.Consume(
        [&](const std::uint64_t* entry) {
          counts[batch.size()] = entry + words;
          batch.Add(MatesOf(entry));
          if (batch.is_full()) decide();
        },
        decide);
    if (!fits) fits_ = false;
  }

  // All that was put aside for a part.
  void Merge(std::size_t part, std::size_t found_words, std::size_t next_words, ChunkList& next) {
    std::size_t entries = 0;
    for (Found& found : found_) entries += found.parts[part].size();
    if (entries == 0) return;
    // Two thirds full at most.
    std::vector<std::uint32_t>& index = found_.Here().index;
    const int shift = 64 - std::bit_width(entries + entries / 2);
    index.assign(std::size_t{1} << (64 - shift), kNone);
    bool fits = true;
    for (Found& found : found_) {
      found.parts[part].Consume([&](const std::uint64_t* entry) {
        fits = fits && Insert(entry, found_words, next_words, index, shift, next);
      });
    }
    if (!fits) fits_ = false;
  }

  // Ways, of all states.
  Count OpenWays() {
    for (Found& found : found_) found.open = Sum(count_words_);
    lwt::ParallelFor(
        0, static_cast<std::int64_t>(level_.size()), 1, [&](std::int64_t begin, std::int64_t) {
          Sum& open = found_.Here().open;
          level_[static_cast<std::size_t>(begin)].ForEach([&](const std::uint64_t* entry) {
            open.Add({entry + words, count_words_});
          });
        });
    Count open;
    for (Found& found : found_) open += found.open.count();
    return open;
  }

  bool Insert(const std::uint64_t* entry, std::size_t found_words, std::size_t next_words,
              std::vector<std::uint32_t>& index, int shift, ChunkList& next) {
    const Mates<words> mates = MatesOf(entry);
    const std::span<const std::uint64_t> count(entry + words, found_words);
    for (std::size_t i = HashOf(mates) << part_bits_ >> shift;; i = (i + 1) & (index.size() - 1)) {
      if (index[i] == kNone) {
        index[i] = next.next();
        std::uint64_t* const added = next.Add();
        if (added == nullptr) return false;
        Set(added, mates, count);
        for (std::size_t word = found_words; word < next_words; ++word) added[words + word] = 0;
        return true;
      }
      std::uint64_t* const there = next.at(index[i]);
      if (MatesOf(there) == mates) {
        AddWords({there + words, next_words}, count);
        return true;
      }
    }
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  const Plan& plan_;
  const Rules<words> rules_;
  const CountOptions& options_;
  const int workers_;
  Budget budget_;
  ChunkStore store_;
  lwt::WorkerLocal<Found> found_;
  int part_bits_ = 0;  // of the next level
  std::vector<ChunkList> level_;
  std::size_t count_words_ = 1, states_ = 1;
  Count open_ = 1;  // a bound of the ways of all states
  Count paths_;
  std::atomic<bool> fits_{true};
};

}  // namespace

absl::StatusOr<Count> CountByParts(const Plan& plan, lwt::Pool& pool, const CountOptions& options) {
  const Layout layout(plan.slots);
  return WithWords<Count>(layout, [&]<int words>() {
    return pool.Run([&] { return Counter<words>(plan, layout, pool, options).Run(); });
  });
}

}  // namespace simpath
