// Block Cholesky factorization by tasks, whose data taskrt moves.
//
// Source: [WLBS20] section 4.
#include <iostream>
#include <optional>
#include <string>

#include "apps/cholesky/factorize.h"
#include "apps/cholesky/flags.h"
#include "apps/cholesky/results.h"
#include "apps/program/commit.h"
#include "apps/program/output_file.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"

namespace {

absl::Status Main(const cholesky::Flags& flags, const std::string& command) {
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const auto resolved = cholesky::Resolve(flags, *topology);
  if (!resolved.ok()) return resolved.status();
  std::optional<program::OutputFile> json;
  if (!flags.json.empty()) {
    auto opened = program::OutputFile::Open(flags.json);
    if (!opened.ok()) return opened.status();
    json.emplace(*std::move(opened));
  }
  const auto row = cholesky::Factorize(*resolved);
  if (!row.ok()) return row.status();
  for (const std::string& note : row->notes) {
    std::cerr << "cholesky: " << note << "; going on without.\n";
  }
  // Whoever asked for a file on standard output wants nothing else there.
  const bool output_is_taken = flags.json == "-";
  (output_is_taken ? std::cerr : std::cout) << ToText(
      *resolved, *row,
      program::ColorOf(output_is_taken ? program::Stream::kError : program::Stream::kOutput));
  if (!json) return absl::OkStatus();
  program::Record record("cholesky", "0.1.0",
                         program::DescribeMachine(*topology, program::Commit()));
  record.parameters() = {{"command", command}, {"seed", flags.seed}, {"dry", flags.dry}};
  record.AddResult(ToJson(*resolved, *row));
  return json->Commit(record.ToText());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Block Cholesky factorization by tasks, whose data the runtime moves.", "cholesky");
  cholesky::Flags flags;
  cholesky::AddFlags(app, flags);
  return program::Run(app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/cholesky", argc, argv));
  });
}
