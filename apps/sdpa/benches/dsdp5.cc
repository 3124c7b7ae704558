// Debian's dsdp5: dual scaling, made for problems whose X is sparse, as that of a largest cut.
#include <string>
#include <vector>

#include "apps/sdpa/benches/peer.h"

namespace {

absl::StatusOr<sdpa::Solved> Read(const std::vector<sdpa::Line>& lines, const std::string&) {
  if (sdpa::LineWith(lines, "DSDP Converged") == nullptr) {
    return absl::NotFoundError("no solution");
  }
  // Of the other sign than in SDPA's form.
  const auto value = sdpa::NumberAfter(lines, "DSDP Solution");
  if (!value.ok()) return value.status();
  const auto seconds = sdpa::NumberAfter(lines, "DSDP Preparation and Solve Time");
  if (!seconds.ok()) return seconds.status();
  return sdpa::Solved{
      .value = -*value, .seconds = *seconds, .elements_seconds = {}, .factorization_seconds = {}};
}

// Half a minute for bordered-theta-800, a quarter for theta-300; theta-200 shows how it does with
// such problems.
bool IsLeftOut(const sdpa::BenchProblem& problem, int /*threads*/) {
  return problem.name == "bordered-theta-800" || problem.name == "theta-300";
}

}  // namespace

int main(int argc, char** argv) {
  return sdpa::RunPeer(
      argc, argv,
      {.name = "dsdp5",
       .program = VICINITY_PROGRAM,
       .note = "its preparation and solve time, threads of the BLAS",
       .command = [](const std::string& file, int) { return std::vector<std::string>{file}; },
       .read = Read,
       .is_left_out = IsLeftOut});
}
