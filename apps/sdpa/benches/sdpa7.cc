// Debian's sdpa, which the SDPA project makes: what our program is named after and measured by.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/benches/peer.h"

namespace {

constexpr char kResult[] = "result";

std::vector<std::string> Command(const std::string& file, int threads) {
  return {"-ds", file, "-o", kResult, "-pt", "0", "-numThreads", absl::StrCat(threads)};
}

absl::StatusOr<sdpa::Solved> Read(const std::vector<sdpa::Line>& lines, const std::string& folder) {
  std::vector<sdpa::Line> result;
  std::ifstream stream(folder + "/" + kResult);
  for (std::string line; std::getline(stream, line);) result.push_back({.text = line});
  // pdOPT; pdFEAS where it cannot go on, which is a solution if its value is right.
  if (sdpa::LineWith(lines, "phase.value  = pd") == nullptr) {
    return absl::NotFoundError("no solution");
  }
  const auto value = sdpa::NumberAfter(lines, "objValPrimal");
  const auto iterations = sdpa::NumberAfter(lines, "Iteration");
  const auto total = sdpa::NumberAfter(lines, "      total time");
  const auto read = sdpa::NumberAfter(lines, "file   read time");
  const auto elements = sdpa::NumberAfter(result, "Make bMat time");
  const auto factorization = sdpa::NumberAfter(result, "Cholesky bMat");
  for (const auto* const number : {&value, &iterations, &total, &read, &elements, &factorization}) {
    if (!number->ok()) return number->status();
  }
  return sdpa::Solved{.value = *value,
                      .seconds = *total - *read,
                      .elements_seconds = *elements / *iterations,
                      .factorization_seconds = *factorization / *iterations};
}

}  // namespace

int main(int argc, char** argv) {
  return sdpa::RunPeer(argc, argv,
                       {.name = "sdpa7",
                        .program = VICINITY_PROGRAM,
                        .note = "Debian's sdpa 7, default parameters, its total time less that of "
                                "reading; of elements and factorization its own sums, divided by "
                                "its iterations",
                        .command = Command,
                        .read = Read,
                        .is_left_out = [](const sdpa::BenchProblem&, int) { return false; },
                        .has_parts = true});
}
