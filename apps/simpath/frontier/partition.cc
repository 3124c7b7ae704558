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
#include "apps/simpath/frontier/residue.h"
#include "apps/simpath/frontier/stage_errors.h"
#include "apps/simpath/frontier/sum.h"
#include "lwt/parallel.h"
#include "lwt/worker_local.h"

namespace simpath {
namespace {

// The number of words of a count: a constant, for unrolled loops, or a variable if `known` is 0.
template <int known>
struct CountWords {
  std::size_t number = known;
  constexpr std::size_t value() const {
    if constexpr (known > 0) return known;
    return number;
  }
};

// body(CountWords). Counts are short where mates are.
template <int words, typename Body>
void WithCountWords(std::size_t number, const Body& body) {
  if constexpr (words <= 2) {
    if (number == 1) return body(CountWords<1>{});
    if (number == 2) return body(CountWords<2>{});
    if (number == 3) return body(CountWords<3>{});
  }
  body(CountWords<0>{number});
}

// Entries are mates, then a count.
template <int words>
class Counter {
 public:
  Counter(const Plan& plan, const Layout& layout, lwt::Pool& pool, const CountOptions& options)
      : plan_(plan),
        rules_(plan, layout),
        options_(options),
        check_(options.check),
        workers_(pool.workers()),
        budget_(options.memory_limit),
        store_(budget_),
        found_(pool, rules_) {}

  // By a lightweight thread of the pool.
  absl::StatusOr<Count> Run() {
    if (plan_.stages.empty()) return paths_;
    std::size_t first_step = 0;
    if (const auto position = TakePosition(options_)) {
      absl::Status status = CheckPosition(plan_, *position, words, options_.check);
      if (!status.ok()) return status;
      if (!HasRoomFor(position->count_words)) return TooManyBits(position->steps);
      if (status = Read(*position); !status.ok()) return status;
      first_step = position->steps;
    } else {
      level_.emplace_back(store_, words + 1);
      std::uint64_t* const entry = level_[0].Add();
      if (entry == nullptr) return TooWide(plan_, plan_.stages[0], options_.memory_limit);
      std::fill_n(entry, words, 0);
      entry[words] = 1;
      check_.Start(HashOf(Mates<words>{}));
    }
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      const Stage& stage = plan_.stages[i];
      if (stage.first < first_step) continue;
      if (CountWordsAfter(stage, open_, options_) > count_words_) open_ = OpenWays();
      if (!HasRoomFor(CountWordsAfter(stage, open_, options_))) return TooManyBits(stage.last);
      const std::size_t states = Pass(i);
      if (!fits_) return TooWide(plan_, stage, options_.memory_limit);
      if (!check_.Pass(read_, given_, ended_)) return Inconsistent(plan_, stage);
      if (options_.open_bits != nullptr) RaiseOpenBits(open_ = OpenWays(), options_);
      if (options_.progress) options_.progress({stage.last - 1, states});
      if (options_.checkpoint == nullptr || !options_.checkpoint->is_due()) continue;
      if (absl::Status status = Write(stage.last); !status.ok()) return status;
    }
    RaiseOpenBits(paths_, options_);
    if (!check_.End(paths_.words())) return Inconsistent(plan_, plan_.stages.back());
    return paths_;
  }

 private:
  // What one worker has put aside for each part, and its sums.
  struct Found {
    std::vector<ChunkList> parts;
    explicit Found(const Rules<words>& rules) : batch(rules) {}

    Batch<words> batch;
    Sum paths, open;
    Flow read, given;  // of the check
    Residue ended;
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
    check_.GoOn(position.check);
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
        {steps, paths_, words, count_words_, states_, check_.state()}, [&](const auto& add) {
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

  static Mates<words> MatesOf(const std::uint64_t* entry) {
    Mates<words> mates;
    for (std::size_t i = 0; i < words; ++i) mates.word[i] = entry[i];
    return mates;
  }

  // Returns the states after the stage of that number.
  std::size_t Pass(std::size_t number) {
    const Stage& stage = plan_.stages[number];
    const std::size_t next_words = CountWordsAfter(stage, open_, options_);
    part_bits_ = PartBitsFor(states_ * 3 / 2, words + next_words);
    const std::size_t parts = std::size_t{1} << part_bits_;
    for (Found& found : found_) {
      found.parts.clear();
      for (std::size_t i = 0; i < parts; ++i) found.parts.emplace_back(store_, words + next_words);
      found.paths = Sum(next_words);
      found.product.assign(next_words, 0);
      found.read = found.given = Flow();
      found.ended = Residue();
    }
    const std::vector<Residue> weights = ResiduesOf(stage.weights);
    std::vector<ChunkList> next;
    for (std::size_t i = 0; i < parts; ++i) next.emplace_back(store_, words + next_words);
    WithCountWords<words>(next_words, [&](auto count_words) {
      lwt::ParallelFor(0, static_cast<std::int64_t>(level_.size()), 1,
                       [&](std::int64_t begin, std::int64_t) {
                         Expand(number, weights, count_words,
                                level_[static_cast<std::size_t>(begin)], found_.Here());
                       });
      lwt::ParallelFor(0, static_cast<std::int64_t>(parts), 1,
                       [&](std::int64_t begin, std::int64_t) {
                         Merge(static_cast<std::size_t>(begin), count_words,
                               next[static_cast<std::size_t>(begin)]);
                       });
    });
    level_ = std::move(next);
    count_words_ = next_words;
    open_ = open_ * stage.most_ways;
    read_ = given_ = ended_ = Residue();
    for (Found& found : found_) {
      paths_ += found.paths.count();
      read_ = read_ + found.read.residue();
      given_ = given_ + found.given.residue();
      ended_ = ended_ + found.ended;
    }
    states_ = 0;
    for (const ChunkList& part : level_) states_ += part.size();
    return states_;
  }

  // `weights` are those of the stage's choices; counts come to `count_words`.
  template <typename CountWords>
  void Expand(std::size_t stage_number, const std::vector<Residue>& weights, CountWords count_words,
              ChunkList& part, Found& found) {
    const Stage& stage = plan_.stages[stage_number];
    const bool checks = check_.is_on();
    const std::size_t words_before = count_words_, to_words = count_words.value();
    bool fits = true;
    Batch<words>& batch = found.batch;
    std::array<const std::uint64_t*, Batch<words>::kStates> counts;
    std::array<Residue, Batch<words>::kStates> residues;
    Flow read, given;
    const auto residue_of = [&](const Way<words>& way) {
      const Residue residue = residues[way.state];
      return stage.is_weighted ? residue * weights[way.choice] : residue;
    };
    // Counts may have fewer or more words than before.
    const auto put_count = [&](const Way<words>& way, std::uint64_t* to) {
      const std::uint64_t* const from = counts[way.state];
      if (stage.is_weighted) {
        MultiplyWords({to, to_words}, {from, words_before}, stage.weights[way.choice].words());
        return;
      }
      for (std::size_t i = 0; i < to_words; ++i) to[i] = i < words_before ? from[i] : 0;
    };
    // Long counts are cut off before they are stored.
    const auto is_long = [&](const Way<words>& way) {
      if (options_.most_bits == CountOptions::kAllBits) return false;
      const std::span<const std::uint64_t> count(counts[way.state], words_before);
      const int weight_bits = stage.is_weighted ? stage.weights[way.choice].bits() - 1 : 0;
      return static_cast<std::size_t>(BitsOf(count) + weight_bits) > options_.most_bits;
    };
    const auto cut = [&](const Way<words>& way) {
      put_count(way, found.product.data());
      return CutOff(found.product, options_);
    };
    // Most counts are copied as they are.
    const bool is_plain = !stage.is_weighted && options_.most_bits == CountOptions::kAllBits &&
                          to_words <= words_before;
    ChunkList* const parts = found.parts.data();
    const int shift = 32 - part_bits_;
    const auto decide = [&] {
      const auto ways = batch.Decide(stage_number, [&](const Way<words>& way) {
        const bool is_cut = is_long(way);
        if (is_cut && !cut(way)) return;
        if (!is_cut) put_count(way, found.product.data());
        found.paths.Add(found.product);
        if (!checks) return;
        found.ended = found.ended + (is_cut ? Residue(found.product) : residue_of(way));
      });
      for (const Way<words>& way : ways) {
        const bool is_cut = !is_plain && is_long(way);
        if (is_cut && !cut(way)) continue;
        const std::uint64_t hash = HashOf(way.mates);
        std::uint64_t* const entry = parts[(hash >> 32) >> shift].Add();
        if (entry == nullptr) {
          fits = false;
          return;
        }
        for (std::size_t i = 0; i < words; ++i) entry[i] = way.mates.word[i];
        if (is_plain) {
          const std::uint64_t* const count = counts[way.state];
          for (std::size_t i = 0; i < count_words.value(); ++i) entry[words + i] = count[i];
          if (checks) given.Add(hash, residues[way.state]);
          continue;
        }
        if (is_cut) {
          std::copy(found.product.begin(), found.product.end(), entry + words);
        } else {
          put_count(way, entry + words);
        }
        if (checks) given.Add(hash, is_cut ? Residue(found.product) : residue_of(way));
      }
    };
    // A chunk is given back once all of its states are decided.
    part.Consume(
        [&](const std::uint64_t* entry) {
          const Mates<words> mates = MatesOf(entry);
          counts[batch.size()] = entry + words;
          if (checks) {
            const Residue residue(std::span(entry + words, words_before));
            residues[batch.size()] = residue;
            read.Add(HashOf(mates), residue);
          }
          batch.Add(mates);
          if (batch.is_full()) decide();
        },
        decide);
    found.read.Add(read);
    found.given.Add(given);
    if (!fits) fits_ = false;
  }

  // All that was put aside for a part.
  template <typename CountWords>
  void Merge(std::size_t part, CountWords count_words, ChunkList& next) {
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
        fits = fits && Insert(entry, count_words, index, shift, next);
      });
    }
    if (!fits) fits_ = false;
  }

  template <typename CountWords>
  bool Insert(const std::uint64_t* entry, CountWords count_words, std::vector<std::uint32_t>& index,
              int shift, ChunkList& next) {
    const Mates<words> mates = MatesOf(entry);
    const std::size_t mask = index.size() - 1;
    for (std::size_t i = HashOf(mates) << part_bits_ >> shift;; i = (i + 1) & mask) {
      if (index[i] == kNone) {
        std::uint64_t* const added = next.Peek();
        if (added == nullptr) return false;
        index[i] = next.peeked();
        next.AddPeeked();
        for (std::size_t word = 0; word < words + count_words.value(); ++word) {
          added[word] = entry[word];
        }
        return true;
      }
      std::uint64_t* const there = next.at(index[i]);
      if (MatesOf(there) == mates) {
        unsigned __int128 sum = 0;
        for (std::size_t word = words; word < words + count_words.value(); ++word) {
          sum += static_cast<unsigned __int128>(there[word]) + entry[word];
          there[word] = static_cast<std::uint64_t>(sum);
          sum >>= 64;
        }
        return true;
      }
    }
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

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  const Plan& plan_;
  const Rules<words> rules_;
  const CountOptions& options_;
  FlowCheck check_;
  Residue read_, given_, ended_;  // of the last stage
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
  const Layout layout = LayoutOf(plan);
  return WithWords<Count>(layout, [&]<int words>() {
    return pool.Run([&] { return Counter<words>(plan, layout, pool, options).Run(); });
  });
}

}  // namespace simpath
