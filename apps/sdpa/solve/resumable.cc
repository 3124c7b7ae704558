#include "apps/sdpa/solve/resumable.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/solve/checkpoint.h"

namespace sdpa {

absl::StatusOr<ResumableOutcome> SolveResumably(
    const std::string& name, const Problem& problem, Options options,
    const program::CheckpointOptions& checkpoint,
    const std::function<bool(const Iteration&)>& progress) {
  using Clock = std::chrono::steady_clock;
  const std::string& file = checkpoint.file;
  if (!file.empty()) {
    // Can it be written? To be known before the work.
    const auto writer = program::CheckpointWriter::Open(file, "");
    if (!writer.ok()) return writer.status();
  }
  std::optional<SolutionValues> resumed;
  if (checkpoint.resume) {
    auto read = ReadCheckpoint(file, problem);
    if (!read.ok()) return read.status();
    resumed = *std::move(read);
    options.initial = &*resumed;
    options.resumes = true;
  }
  Clock::time_point written = Clock::now();
  absl::Status of_checkpoint;
  options.progress = [&](const Iteration& iteration, const std::function<SolutionValues()>& point) {
    const bool goes_on = !progress || progress(iteration);
    const bool is_last = !goes_on || iteration.number == options.iterations_or_default();
    if (!file.empty() && (is_last || Clock::now() - written >= checkpoint.every)) {
      of_checkpoint = WriteCheckpoint(file, problem, point());
      written = Clock::now();
    }
    return goes_on;
  };
  absl::StatusOr<Outcome> outcome = Solve(problem, options);
  if (outcome.ok()) return ResumableOutcome{*std::move(outcome), of_checkpoint};
  return absl::Status(outcome.status().code(),
                      absl::StrCat(name, ": ", std::string(outcome.status().message())));
}

}  // namespace sdpa
