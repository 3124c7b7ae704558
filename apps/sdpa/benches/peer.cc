#include "apps/sdpa/benches/peer.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/benches/blas_of.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/generate/generate.h"

namespace sdpa {
namespace {

// A solver's errors are 1e-6 (dsdp5) to 1e-8 (csdp) of the value.
constexpr double kMostError = 1e-5;

// A resource: a folder that is gone in the end.
class Scratch {
 public:
  Scratch() {
    name_ = (std::filesystem::temp_directory_path() / "vicinity-sdpa.XXXXXX").string();
    is_there_ = mkdtemp(name_.data()) != nullptr;
  }
  ~Scratch() {
    std::error_code ignored;
    if (is_there_) std::filesystem::remove_all(name_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& name() const { return name_; }
  bool is_there() const { return is_there_; }

 private:
  std::string name_;
  bool is_there_ = false;
};

// A resource: what a program says to each problem, asked once.
class Answers {
 public:
  explicit Answers(const PeerProgram& peer) : peer_(peer) {}

  absl::StatusOr<Solved> Of(const BenchProblem& problem, int threads) {
    const auto key = std::pair(problem.name, threads);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(key, Ask(problem, threads)).first->second;
  }

 private:
  absl::StatusOr<Solved> Ask(const BenchProblem& problem, int threads) {
    const absl::StatusOr<std::string> file = FileOf(problem);
    if (!file.ok()) return file.status();
    // Line by line, so that it is known when each was printed. A run ends.
    std::vector<std::string> command = {"env",
                                        absl::StrCat("OMP_NUM_THREADS=", threads),
                                        absl::StrCat("OPENBLAS_NUM_THREADS=", threads),
                                        "timeout",
                                        "--kill-after=5",
                                        "300",
                                        "stdbuf",
                                        "-oL",
                                        peer_.program};
    for (std::string& word : peer_.command(*file, threads)) command.push_back(std::move(word));
    const auto lines = RunCommand(command, scratch_.name());
    if (!lines.ok()) return lines.status();
    const absl::StatusOr<Solved> solved = peer_.read(*lines, scratch_.name());
    absl::Status status = solved.status();
    if (status.ok()) status = CheckValue(problem, solved->value, kMostError);
    if (status.ok()) return solved;
    return absl::Status(status.code(), absl::StrCat(peer_.name, ", ", problem.name, ": ",
                                                    std::string(status.message())));
  }

  // In the scratch folder, written when it is first asked for.
  absl::StatusOr<std::string> FileOf(const BenchProblem& problem) const {
    const std::string name = problem.name + ".dat-s", path = scratch_.name() + "/" + name;
    if (!scratch_.is_there()) return absl::UnavailableError("there is no temporary folder");
    if (std::filesystem::exists(path)) return name;
    const auto generated = Generate(problem.name);
    if (!generated.ok()) return generated.status();
    std::ofstream stream(path, std::ios::binary);
    stream << ToText(Format::kSparse, generated->problem);
    stream.close();
    if (!stream) return absl::UnavailableError(path + " cannot be written");
    return name;
  }

  const PeerProgram& peer_;
  const Scratch scratch_;
  std::map<std::pair<std::string, int>, absl::StatusOr<Solved>> known_;
};

}  // namespace

int RunPeer(int argc, char** argv, const PeerProgram& peer) {
  Answers answers(peer);
  std::vector<Row> rows;
  const auto add = [&](const std::string& what, const BenchProblem& problem, const auto& part) {
    std::vector<Row> of_problem;
    AddRows(
        what, problem,
        [&answers, part](const BenchProblem& each, int threads) -> absl::StatusOr<double> {
          const auto solved = answers.Of(each, threads);
          if (!solved.ok()) return solved.status();
          return part(*solved);
        },
        of_problem);
    for (Row& row : of_problem) {
      if (!peer.is_left_out(problem, row.threads)) rows.push_back(std::move(row));
    }
  };
  for (const BenchProblem& problem : BenchProblems()) {
    add("solve_", problem, [](const Solved& solved) { return solved.seconds; });
    if (peer.has_parts && problem.has_elements_row) {
      add("elements_", problem, [](const Solved& solved) { return *solved.elements_seconds; });
    }
    if (peer.has_parts && problem.has_cholesky_row) {
      add("cholesky_", problem, [](const Solved& solved) { return *solved.factorization_seconds; });
    }
  }
  return RunRows(argc, argv, peer.name,
                 absl::StrCat(peer.name, ": ", peer.note, "; BLAS ", BlasOf(peer.program)), rows);
}

}  // namespace sdpa
