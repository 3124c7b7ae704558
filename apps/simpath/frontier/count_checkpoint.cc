#include "apps/simpath/frontier/count_checkpoint.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"

namespace simpath {
namespace {

// FNV-1a of words.
class Fingerprint {
 public:
  void Add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3;
    value_ ^= value_ >> 32;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

void Add(Fingerprint& all, const Problem& problem) {
  for (const auto [from, to] : problem.edges) {
    all.Add(from);
    all.Add(to);
  }
  for (const Count& weight : problem.weights) {
    for (const std::uint64_t word : weight.words()) all.Add(word);
    all.Add(weight.words().size());
  }
  all.Add(problem.edges.size());
  all.Add(problem.vertices);
  all.Add(problem.source);
  all.Add(problem.target);
  const Rule& rule = problem.rule;
  all.Add(static_cast<std::uint64_t>(rule.shape));
  all.Add(static_cast<std::uint64_t>(rule.ends));
  all.Add(static_cast<std::uint64_t>(rule.visits));
  all.Add(static_cast<std::uint64_t>(rule.direction));
  all.Add(problem.max_length.value_or(~std::uint64_t{0}));
}

std::string TitleOf(const Problem& whole, std::span<const Problem> parts) {
  Fingerprint all;
  Add(all, whole);
  std::size_t edges = 0;
  for (const Problem& part : parts) {
    Add(all, part);
    edges += part.edges.size();
  }
  return absl::StrCat("simpath's states, version 2, of ", parts.size(), " graphs of ", edges,
                      " edges in this order (", absl::Hex(all.value()), ")");
}

std::vector<std::uint64_t> WordsOf(const Count& count) {
  std::vector<std::uint64_t> words = {count.words().size()};
  words.insert(words.end(), count.words().begin(), count.words().end());
  return words;
}

}  // namespace

absl::StatusOr<CountCheckpoint> CountCheckpoint::Open(const program::CheckpointOptions& options,
                                                      const Problem& whole,
                                                      std::span<const Problem> parts) {
  CountCheckpoint checkpoint(options, TitleOf(whole, parts));
  if (options.resume) {
    if (absl::Status status = checkpoint.Resume(); !status.ok()) return status;
  }
  return checkpoint;
}

absl::StatusOr<Count> CountCheckpoint::ReadCount() {
  std::uint64_t words = 0;
  if (absl::Status status = reader_->Read({&words, 1}); !status.ok()) return status;
  if (words > reader_->left()) return absl::DataLossError(options_.file + ": a count is cut off");
  std::vector<std::uint64_t> count(words);
  if (absl::Status status = reader_->Read(count); !status.ok()) return status;
  return Count(std::span<const std::uint64_t>(count));
}

absl::Status CountCheckpoint::Resume() {
  auto reader = program::CheckpointReader::Open(options_.file, title_);
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  std::uint64_t finished = 0;
  if (absl::Status status = reader_->Read({&finished, 1}); !status.ok()) return status;
  for (std::uint64_t i = 0; i < finished; ++i) {
    auto count = ReadCount();
    if (!count.ok()) return count.status();
    finished_.push_back(*std::move(count));
  }
  read_ = finished_.size();
  auto paths = ReadCount();
  if (!paths.ok()) return paths.status();
  std::array<std::uint64_t, 7> rest = {};
  if (absl::Status status = reader_->Read(rest); !status.ok()) return status;
  position_ = {.steps = rest[0],
               .paths = *std::move(paths),
               .mate_words = rest[1],
               .count_words = rest[2],
               .states = rest[3],
               .check = {.is_on = rest[4] != 0,
                         .flow = Residue::FromValue(rest[5] % Residue::kPrime),
                         .paths = Residue::FromValue(rest[6] % Residue::kPrime)}};
  // Without products and sums that could be more than a word.
  const std::uint64_t left = reader_->left(), states = position_->states;
  const std::uint64_t words = states == 0 ? 0 : left / states;
  if (words * states != left ||
      (states > 0 && (position_->mate_words > words ||
                      words - position_->mate_words != position_->count_words))) {
    return absl::DataLossError(options_.file + ": it has not as many states as it says");
  }
  return absl::OkStatus();
}

std::optional<Count> CountCheckpoint::NextFinished() {
  if (given_ == read_) return std::nullopt;
  return finished_[given_++];
}

std::optional<CountCheckpoint::Position> CountCheckpoint::TakePosition() {
  return std::exchange(position_, std::nullopt);
}

absl::StatusOr<program::CheckpointWriter> CountCheckpoint::Begin(const Position& position) const {
  auto writer = program::CheckpointWriter::Open(options_.file, title_);
  if (!writer.ok()) return writer.status();
  std::vector<std::uint64_t> head = {finished_.size()};
  const auto append = [&](const Count& count) {
    const std::vector<std::uint64_t> words = WordsOf(count);
    head.insert(head.end(), words.begin(), words.end());
  };
  for (const Count& count : finished_) append(count);
  append(position.paths);
  head.insert(head.end(), {position.steps, position.mate_words, position.count_words,
                           position.states, std::uint64_t{position.check.is_on},
                           position.check.flow.value(), position.check.paths.value()});
  if (absl::Status status = writer->Add(head); !status.ok()) return status;
  return writer;
}

}  // namespace simpath
