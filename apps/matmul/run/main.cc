// The paper's experiment: a recursive matrix product by lightweight threads, and
// at which depths they are stolen.
//
// Source: [NNT13] sections 2 and 4.

#include "apps/matmul/measure/measure.h"
#include "apps/matmul/measure/steal_cost.h"
#include "apps/matmul/run/flags.h"
#include "apps/matmul/run/results.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "lwt/workloads/leaf.h"

namespace {

program::Record MakeRecord(const matmul::Flags& flags, const matmul::Resolved& resolved,
                           const std::string& command) {
  program::Record record("matmul", program::kVersion,
                         program::DescribeMachine(resolved.topology, program::Commit()));
  record.parameters() = {{"command", command},
                         {"n", resolved.options.n},
                         {"leaf", sgemm::BestLeaf().name},
                         {"variant", flags.variants},
                         {"policy", flags.policy},
                         {"candidates", resolved.options.candidates},
                         {"peeks", flags.peeks},
                         {"workers", resolved.workers},
                         {"mode", ToString(resolved.options.mode)},
                         {"seed", resolved.options.seed},
                         {"repetitions", resolved.options.repetitions}};
  if (resolved.options.mode == matmul::Mode::kSimulated) {
    record.parameters()["matrices"] = flags.matrices;
  }
  return record;
}

absl::Status Main(const matmul::Flags& flags, const std::string& command) {
  const auto resolved = matmul::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json}, {"--svg", flags.svg}});
  if (!outputs.ok()) return outputs.status();

  program::Record record = MakeRecord(flags, *resolved, command);
  std::vector<matmul::Row> rows;
  {
    program::Progress progress;
    matmul::Matrices matrices(resolved->options.n, static_cast<unsigned>(resolved->options.seed));
    for (const int workers : resolved->workers) {
      auto measured =
          matmul::Measure(resolved->options, workers, matrices,
                          [&](const std::string& line) { progress.Show("matmul: " + line); });
      if (!measured.ok()) return measured.status();
      for (matmul::Row& row : *measured) rows.push_back(std::move(row));
    }
  }
  TakeStealCosts(rows);
  for (const matmul::Row& row : rows) record.AddResult(ToJson(row));
  outputs->text() << ToText(rows, outputs->color());
  const absl::Status written = outputs->Commit("--json", [&] { return record.ToText(); });
  if (!written.ok()) return written;
  return outputs->Commit("--svg", [&] {
    return resolved->figure == matmul::Figure::kSpeed ? SpeedToSvg(rows) : StealsToSvg(rows);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto app = program::MakeApp(
      "Recursive matrix product by lightweight threads: speed, and who stole at which "
      "depth.",
      "matmul", program::Commit());
  matmul::Flags flags;
  matmul::AddFlags(*app, flags);
  return program::Run(*app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/matmul", argc, argv)); });
}
