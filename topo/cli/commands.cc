#include "topo/cli/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "topo/cli/tables.h"
#include "topo/describe.h"
#include "topo/draw.h"
#include "topo/topo.h"

namespace topo::cli {
namespace {

// The values of the flags; every subcommand takes those that mean something to it.
struct Request {
  std::string topology;
  std::string policy = "compact";
  std::optional<int> threads;
  std::optional<int> core_kind;
  bool oversubscribe = false;
  std::string format = "table";
  std::string svg;

  bool json() const { return format == "json"; }
  // The drawing is the answer.
  bool draws_only() const { return svg == "-"; }
};

absl::StatusOr<Mapping> PlanFor(const Request& request, const Topology& topology) {
  absl::StatusOr<Policy> policy = ParsePolicy(request.policy);
  if (!policy.ok()) return policy.status();
  PlanOptions options{.core_kind = request.core_kind};
  if (request.oversubscribe) options.oversubscribe = PlanOptions::Oversubscribe::kAllow;
  int threads = topology.default_threads();
  if (request.core_kind) {
    int of_kind = 0;
    for (const Pu& pu : topology.pus()) of_kind += pu.allowed && pu.kind == *request.core_kind;
    threads = std::clamp(of_kind, 1, threads);
  }
  return Plan(topology, *policy, request.threads.value_or(threads), options);
}

// A file is written beside and renamed, so that a failure leaves what was
// there; what is not a file (a pipe, /dev/stdout) is written to.
absl::Status WriteFile(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  const bool is_file = !fs::exists(target, error) || fs::is_regular_file(target, error);
  const std::string beside = target.string() + ".partial" + std::to_string(getpid());
  std::ofstream file(is_file ? beside : path, std::ios::binary);
  file << text;
  file.close();
  if (file && (!is_file || std::rename(beside.c_str(), target.c_str()) == 0)) {
    return absl::OkStatus();
  }
  if (is_file) std::remove(beside.c_str());
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

absl::Status WriteDrawing(const Request& request, const std::string& svg, std::ostream& out) {
  if (!request.draws_only()) return WriteFile(request.svg, svg);
  out << svg;
  return absl::OkStatus();
}

// The mapping asked for, drawn first if that was asked for too.
absl::StatusOr<Mapping> PlanAndDraw(const Request& request, const Topology& topology,
                                    std::ostream& out) {
  absl::StatusOr<Mapping> mapping = PlanFor(request, topology);
  if (!mapping.ok() || request.svg.empty()) return mapping;
  const absl::Status written = WriteDrawing(request, DrawSvg(topology, *mapping), out);
  if (!written.ok()) return written;
  return mapping;
}

absl::Status Show(const Request& request, const Topology& topology, std::ostream& out) {
  if (request.threads) {
    const absl::StatusOr<Mapping> mapping = PlanAndDraw(request, topology, out);
    if (!mapping.ok()) return mapping.status();
  } else if (!request.svg.empty()) {
    const absl::Status written = WriteDrawing(request, DrawSvg(topology), out);
    if (!written.ok()) return written;
  }
  if (request.draws_only()) return absl::OkStatus();
  out << (request.json() ? TopologyAsJson(topology) : DescribeTree(topology));
  return absl::OkStatus();
}

absl::Status Map(const Request& request, const Topology& topology, std::ostream& out) {
  absl::StatusOr<Mapping> mapping = PlanAndDraw(request, topology, out);
  if (!mapping.ok()) return mapping.status();
  if (request.draws_only()) return absl::OkStatus();
  out << (request.json() ? MappingAsJson(*mapping) : MappingAsTable(*mapping));
  return absl::OkStatus();
}

absl::Status ExplainUsage(const Request& request, const Topology& topology, std::ostream& out) {
  absl::StatusOr<Mapping> mapping = PlanAndDraw(request, topology, out);
  if (!mapping.ok()) return mapping.status();
  if (request.draws_only()) return absl::OkStatus();
  std::vector<Usage> columns;
  for (int threads = 1; threads < mapping->size(); threads *= 2) {
    columns.push_back(Explain(*mapping, threads));
  }
  columns.push_back(Explain(*mapping, mapping->size()));
  out << (request.json() ? UsageAsJson(columns) : UsageAsTable(columns));
  return absl::OkStatus();
}

// Runs the mapping for real, places memory by it, and reports. The answer.
absl::StatusOr<bool> VerifyHere(const Request& request, const Topology& topology,
                                std::ostream& out) {
  constexpr std::size_t kBytesPerThread = std::size_t{4} << 20;
  if (!topology.this_machine()) {
    return absl::FailedPreconditionError(absl::StrCat(
        topology.source(), ": the topology of another machine, where nothing can be verified"));
  }
  absl::StatusOr<Mapping> mapping = PlanAndDraw(request, topology, out);
  if (!mapping.ok()) return mapping.status();
  Verifier verifier(topology, *mapping);
  absl::Status status =
      RunThreads(topology, *mapping, [&](const Slot& slot) { verifier.ObserveThisThread(slot); });
  if (!status.ok()) return status;
  absl::StatusOr<Array<char>> array =
      Array<char>::AllocateSliced(topology, *mapping, kBytesPerThread * mapping->size());
  if (!array.ok()) return array.status();
  status = FirstTouch(topology, *mapping, array->memory());
  if (!status.ok()) return status;
  verifier.AddMemory("sliced", array->memory());
  const VerifyReport report = verifier.Finish();
  if (!request.draws_only()) out << (request.json() ? ReportAsJson(report) : ReportAsTable(report));
  return report.ok();
}

}  // namespace

int Run(int argc, char** argv, std::ostream& out, std::ostream& err) {
  CLI::App app{"Shows what is near what: topology, mapping tables, placement."};
  app.name("topo");
  Request request;
  const auto add = [&](const char* name, const char* description) {
    CLI::App* command = app.add_subcommand(name, description);
    command->add_option("--topology", request.topology,
                        "hwloc XML file or synthetic description (default: this machine)");
    command->add_option("--policy", request.policy, "none, scatter, compact or compact+");
    command->add_option("--threads", request.threads,
                        "how many threads (default: the PUs that this process may use)");
    command->add_option("--core-kind", request.core_kind, "use only cores of this kind");
    command->add_flag("--oversubscribe", request.oversubscribe, "allow more threads than PUs");
    command->add_option("--format", request.format, "table or json")
        ->check([](const std::string& text) -> std::string {
          if (text == "table" || text == "json") return "";
          return "expected table or json, not '" + text + "'";
        });
    command->add_option("--svg", request.svg,
                        "also draw the machine to this file; -: draw it instead of the answer");
    return command;
  };
  const CLI::App* show = add("show", "the machine as a tree");
  const CLI::App* map = add("map", "the mapping table: which thread on which PU");
  const CLI::App* explain = add("explain", "how much of the machine 1, 2, 4, ... threads use");
  add("verify", "pins threads and places memory, and reports where they really are");
  app.require_subcommand(1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    const bool no_command = error.get_name() == "RequiredError";
    err << "topo: "
        << (no_command ? "expected a subcommand: show, map, explain or verify" : error.what())
        << "\n";
    return 2;
  }

  absl::StatusOr<Topology> topology = FromFlag(request.topology);
  absl::Status status = topology.status();
  bool as_asked = true;
  if (status.ok()) {
    if (show->parsed()) {
      status = Show(request, *topology, out);
    } else if (map->parsed()) {
      status = Map(request, *topology, out);
    } else if (explain->parsed()) {
      status = ExplainUsage(request, *topology, out);
    } else {
      const absl::StatusOr<bool> verified = VerifyHere(request, *topology, out);
      status = verified.status();
      as_asked = verified.ok() && *verified;
    }
  }
  if (status.ok() && !out.flush()) status = absl::UnavailableError("cannot write the answer");
  if (!status.ok()) {
    err << "topo: " << status.message() << "\n";
    return 2;
  }
  return as_asked ? 0 : 1;
}

}  // namespace topo::cli
