// Where a count edge by edge has come to, in a file: the counts of the problems that are finished,
// then the step, the paths and all states of the one that goes on.
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/program/checkpoint.h"
#include "apps/simpath/frontier/residue.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"

namespace simpath {

// A resource.
class CountCheckpoint {
 public:
  // A value: the beginning of a problem that goes on. As many states follow, each of its mates' and
  // its count's words.
  struct Position {
    std::size_t steps = 0;  // that are done
    Count paths;
    std::size_t mate_words = 0, count_words = 0;
    std::size_t states = 0;
    FlowCheck::State check = {};
  };

  // Of parts of the whole that are counted one after the other. Weights that are counts of others
  // are missing in them, so they do not say of which whole they are. Without a file nothing is
  // written. Reads the file if it is to be resumed. Errors: those of program::CheckpointReader,
  // which another graph, or another order of its edges, is one of.
  static absl::StatusOr<CountCheckpoint> Open(const program::CheckpointOptions& options,
                                              const Problem& whole, std::span<const Problem> parts);

  // Problems are counted in an order that is always the same. The next one's count, if it was
  // finished before the program was killed; else the caller says what it comes to.
  std::optional<Count> NextFinished();
  void Finish(const Count& count) { finished_.push_back(count); }

  // Where the current problem goes on, if it was begun; its states are then to be read.
  std::optional<Position> TakePosition();
  absl::Status ReadState(std::span<std::uint64_t> state) { return reader_->Read(state); }

  bool is_due() const {
    return !options_.file.empty() && Clock::now() - written_ >= options_.every;
  }
  // Writes the file: `for_each(add)` calls add(words) for all words of all states. Errors:
  // program::CheckpointWriter's.
  template <typename ForEach>
  absl::Status Write(const Position& position, const ForEach& for_each) {
    auto writer = Begin(position);
    absl::Status status = writer.status();
    if (status.ok()) {
      for_each([&](std::span<const std::uint64_t> words) { status.Update(writer->Add(words)); });
    }
    if (status.ok()) status = writer->Publish();
    written_ = Clock::now();
    return status;
  }

 private:
  using Clock = std::chrono::steady_clock;

  CountCheckpoint(const program::CheckpointOptions& options, std::string title)
      : options_(options), title_(std::move(title)), written_(Clock::now()) {}
  absl::Status Resume();
  absl::StatusOr<Count> ReadCount();
  absl::StatusOr<program::CheckpointWriter> Begin(const Position& position) const;

  program::CheckpointOptions options_;
  std::string title_;
  Clock::time_point written_;
  std::optional<program::CheckpointReader> reader_;  // at the states, once resumed
  std::vector<Count> finished_;
  std::size_t given_ = 0;  // of `finished_`, that were read
  std::size_t read_ = 0;
  std::optional<Position> position_;
};

}  // namespace simpath
