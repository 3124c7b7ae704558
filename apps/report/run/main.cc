// One page from what the programs have written: report.html.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/run.h"
#include "apps/report/parts/parts.h"

namespace {

struct Flags {
  std::string output = "report.html";
  report::MachineFiles machine = {.id = "machine", .title = "This machine"};
  report::MachineFiles paper = {.id = "paper-machine", .title = "The paper's machine, described"};
  std::string drawn_by = "show";
  std::vector<std::string> mappings;
  std::vector<std::string> paper_mappings;
  std::string papers;
  std::vector<std::string> runs;
  std::vector<std::string> pictures;
};

// "scatter=FILE".
absl::Status ReadMappings(const std::vector<std::string>& words, report::MachineFiles& files) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      return absl::InvalidArgumentError("\"" + word + "\" is not POLICY=FILE");
    }
    files.mappings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return absl::OkStatus();
}

// "run.json=FILE".
absl::StatusOr<std::map<std::string, std::string>> ReadPictures(const Flags& flags) {
  std::map<std::string, std::string> pictures;
  for (const std::string& word : flags.pictures) {
    const std::size_t equals = word.find('=');
    const std::string run = word.substr(0, equals);
    if (std::find(flags.runs.begin(), flags.runs.end(), run) == flags.runs.end()) {
      return absl::InvalidArgumentError("\"" + word + "\" is not RUN=FILE of one of the runs");
    }
    auto svg = report::ReadFile(equals == std::string::npos ? "" : word.substr(equals + 1));
    if (!svg.ok()) return svg.status();
    if (svg->find("<svg") == std::string::npos) {
      return absl::InvalidArgumentError(word.substr(equals + 1) +
                                        ": expected SVG, as programs write it with --svg");
    }
    pictures[run] = *std::move(svg);
  }
  return pictures;
}

absl::Status Main(Flags flags) {
  absl::Status status = ReadMappings(flags.mappings, flags.machine);
  status.Update(ReadMappings(flags.paper_mappings, flags.paper));
  if (!status.ok()) return status;
  auto pictures = ReadPictures(flags);
  if (!pictures.ok()) return pictures.status();
  flags.machine.drawn_by = flags.paper.drawn_by = flags.drawn_by;
  auto outputs = program::Outputs::Open({{"--output", flags.output}});
  if (!outputs.ok()) return outputs.status();

  std::vector<report::Section> sections;
  report::Front front = {.title = "vicinity: work near its data", .lead = "", .subtitle = ""};
  for (const report::MachineFiles& files : {flags.machine, flags.paper}) {
    if (files.svg.empty() && files.mappings.empty()) continue;
    auto section = report::MachinePart(files);
    if (!section.ok()) return section.status();
    sections.push_back(*std::move(section));
  }
  std::vector<std::string> order;  // of first appearance
  std::map<std::string, std::vector<report::Run>> by_app;
  for (const std::string& path : flags.runs) {
    auto run = report::ReadRun(path);
    if (!run.ok()) return run.status();
    if (front.subtitle.empty()) {
      front.subtitle = report::TextOf(run->machine, "cpu") + ": " +
                       report::TextOf(run->machine, "topology") + " · " +
                       report::TextOf(run->machine, "compiler") + " · commit " +
                       report::TextOf(run->machine, "commit") + " · measured " +
                       report::TextOf(run->parameters, "date");
    }
    run->picture = (*pictures)[path];
    if (by_app[run->app].empty()) order.push_back(run->app);
    by_app[run->app].push_back(*std::move(run));
  }
  front.lead = report::LeadOf(order);
  for (const std::string& app : order) {
    auto section = report::PartFor(app)(by_app[app]);
    if (!section.ok()) return section.status();
    sections.push_back(*std::move(section));
  }
  if (!flags.papers.empty()) {
    auto papers = report::PapersParts(flags.papers);
    if (!papers.ok()) return papers.status();
    for (report::Section& section : *papers) sections.push_back(std::move(section));
  }
  if (sections.empty()) return absl::InvalidArgumentError("there is nothing to report");

  status = outputs->Commit("--output", [&] { return report::Page(front, sections); });
  if (!status.ok()) return status;
  for (const report::Section& section : sections) {
    for (const report::Headline& headline : section.headlines) {
      outputs->text() << headline.value << "  " << headline.meaning
                      << (headline.spread.empty() ? "" : " (" + headline.spread + ")") << "\n";
    }
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes one HTML page from the JSON of the programs and the drawings of topo.",
               "report");
  program::AddVersion(app, program::Commit());
  Flags flags;
  app.add_option("--output", flags.output, "the page (default report.html), - for standard output");
  app.add_option("--machine-svg", flags.machine.svg, "what topo drew into its --svg=FILE");
  // One value a flag: what follows is a run.
  app.add_option("--mapping", flags.mappings, "POLICY=FILE of `topo map --format=json`")
      ->allow_extra_args(false);
  app.add_option("--paper-topology", flags.paper.topology, "the description of the other machine");
  app.add_option("--paper-svg", flags.paper.svg, "its drawing");
  app.add_option("--paper-mapping", flags.paper_mappings, "POLICY=FILE of its mapping")
      ->allow_extra_args(false);
  app.add_option("--drawn-by", flags.drawn_by,
                 "with which command and flags of topo both were drawn (default show)");
  app.add_option("--picture", flags.pictures, "RUN=FILE, what one of the runs drew into its --svg")
      ->allow_extra_args(false);
  app.add_option("--papers", flags.papers, "what tools/paper wrote with --json");
  app.add_option("runs", flags.runs, "files that programs wrote with --json");
  return program::Run(app, argc, argv, [&] { return Main(flags); });
}
