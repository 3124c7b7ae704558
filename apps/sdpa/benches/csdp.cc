// Debian's csdp. It has no times of its own: what is measured is from the line that it prints
// before its first iteration to that after its last.
#include <string>
#include <vector>

#include "apps/sdpa/benches/peer.h"

namespace {

absl::StatusOr<sdpa::Solved> Read(const std::vector<sdpa::Line>& lines, const std::string&) {
  const sdpa::Line* const first = sdpa::LineWith(lines, "Iter:  0");
  const sdpa::Line* const last = sdpa::LineWith(lines, "Success: SDP solved");
  if (first == nullptr || last == nullptr) return absl::NotFoundError("no solution");
  const auto value = sdpa::NumberAfter(lines, "Primal objective value");
  if (!value.ok()) return value.status();
  return sdpa::Solved{.value = *value,
                      .seconds = last->seconds - first->seconds,
                      .elements_seconds = {},
                      .factorization_seconds = {}};
}

// Its Schur complement's matrix is dense: with 9,941 rows, those of `material`, it takes many
// minutes. With one thread theta-300 and bordered-theta-800 take a quarter of a minute each, nine
// times, and tell no more than theta-200 and max-cut-800.
bool IsLeftOut(const sdpa::BenchProblem& problem, int threads) {
  return problem.name == "material" ||
         (threads == 1 && (problem.name == "theta-300" || problem.name == "bordered-theta-800"));
}

}  // namespace

int main(int argc, char** argv) {
  return sdpa::RunPeer(
      argc, argv,
      {.name = "csdp",
       .program = VICINITY_PROGRAM,
       .note = "from its first iteration to the end of its last, threads of the BLAS",
       .command = [](const std::string& file, int) { return std::vector<std::string>{file}; },
       .read = Read,
       .is_left_out = IsLeftOut});
}
