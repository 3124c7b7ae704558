// Predicts how four programs run on a machine that is only described, by policy and threads.
//
// Source: [ULIBC14], figures 8, 9, 12, 13, 15 and 16.
#include <ostream>

#include "absl/status/status.h"
#include "apps/predict/run/flags.h"
#include "apps/predict/run/predictions.h"
#include "apps/predict/run/results.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"

namespace {

absl::Status Main(const CLI::App& app, const predict::Flags& flags, const std::string& command) {
  const auto resolved = predict::Resolve(app, flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json}, {"--svg", flags.svg}});
  if (!outputs.ok()) return outputs.status();
  const auto rows = predict::Predict(resolved->machine, resolved->mappings, resolved->questions);
  if (!rows.ok()) return rows.status();

  program::Record record("predict", program::kVersion,
                         program::DescribeMachine(resolved->machine.topology(), program::Commit()));
  record.parameters() = {{"command", command},
                         {"program", flags.program},
                         {"machine", flags.machine},
                         {"policy", flags.policy},
                         {"threads", flags.threads}};
  for (const predict::Prediction& row : *rows) record.AddResult(ToJson(row));
  outputs->text() << flags.program << ", simulated on " << flags.machine << "\n"
                  << ToText(*rows, outputs->color());
  const absl::Status written = outputs->Commit("--json", [&] { return record.ToText(); });
  if (!written.ok()) return written;
  return outputs->Commit("--svg", [&] { return ToSvg(*rows, flags.machine); });
}

}  // namespace

int main(int argc, char** argv) {
  const auto app = program::MakeApp(
      "Predicts how programs run on a machine that is only described, by policy and threads.",
      "predict", program::Commit());
  predict::Flags flags;
  predict::AddFlags(*app, flags);
  return program::Run(*app, argc, argv, [&] {
    return Main(*app, flags, program::CommandOf("//apps/predict", argc, argv));
  });
}
