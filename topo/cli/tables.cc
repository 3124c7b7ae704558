#include "topo/cli/tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topo::cli {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

// Columns aligned right, except the first.
std::string Align(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&text, i == 0 ? "" : "  ", i == 0 ? row[i] + space : space + row[i]);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::string Cell(int value) { return value < 0 ? "-" : absl::StrCat(value); }

std::string Dump(const Json& json) { return json.dump(2) + "\n"; }

}  // namespace

std::string MappingAsJson(const Mapping& mapping) {
  Json rows = Json::array();
  for (const Slot& slot : mapping.slots()) {
    rows.push_back({{"thread", slot.thread},
                    {"pu", ToInt(slot.pu)},
                    {"package", slot.package},
                    {"numa_node", ToInt(slot.node)},
                    {"core", slot.core},
                    {"smt", slot.smt},
                    {"ordinal", slot.ordinal}});
  }
  return Dump(rows);
}

std::string MappingAsTable(const Mapping& mapping) {
  Rows rows = {{"thread", "PU", "package", "NUMA node", "core", "SMT", "ordinal"}};
  for (const Slot& slot : mapping.slots()) {
    rows.push_back({absl::StrCat(slot.thread), Cell(ToInt(slot.pu)), Cell(slot.package),
                    Cell(ToInt(slot.node)), Cell(slot.core), Cell(slot.smt),
                    absl::StrCat(slot.ordinal)});
  }
  return Align(rows);
}

std::string UsageAsJson(std::span<const Usage> columns) {
  Json rows = Json::array();
  for (const Usage& usage : columns) {
    rows.push_back({{"threads", usage.threads},
                    {"numa_nodes", usage.nodes},
                    {"cores_per_node", usage.cores_per_node},
                    {"threads_per_core", usage.threads_per_core}});
  }
  return Dump(rows);
}

std::string UsageAsTable(std::span<const Usage> columns) {
  Rows rows = {{"threads"}, {"NUMA nodes in use"}, {"cores per node"}, {"threads per core"}};
  for (const Usage& usage : columns) {
    rows[0].push_back(absl::StrCat(usage.threads));
    rows[1].push_back(usage.nodes == 0 ? "-" : absl::StrCat(usage.nodes));
    rows[2].push_back(usage.nodes == 0 ? "-" : absl::StrCat(usage.cores_per_node));
    rows[3].push_back(usage.nodes == 0 ? "-" : absl::StrCat(usage.threads_per_core));
  }
  return Align(rows);
}

std::string TopologyAsJson(const Topology& topology) {
  Json json = {{"source", topology.source()},
               {"this_machine", topology.this_machine()},
               {"packages", topology.packages()},
               {"cores", topology.cores()},
               {"pus_allowed", topology.allowed_pus()},
               {"pus_offline", topology.offline_pus()},
               {"default_threads", topology.default_threads()}};
  if (topology.cpu_quota()) json["cpu_quota"] = *topology.cpu_quota();
  json["numa_nodes"] = Json::array();
  for (const Node& node : topology.nodes()) {
    json["numa_nodes"].push_back({{"numa_node", ToInt(node.id)},
                                  {"os_index", node.os_index},
                                  {"memory_bytes", node.memory_bytes},
                                  {"tier", ToString(node.tier)},
                                  {"allowed", node.allowed}});
  }
  json["pus"] = Json::array();
  for (const Pu& pu : topology.pus()) {
    Json near = Json::array();
    for (NodeId node : pu.near) near.push_back(ToInt(node));
    json["pus"].push_back({{"pu", ToInt(pu.id)},
                           {"package", pu.package},
                           {"core", pu.core},
                           {"smt", pu.smt},
                           {"core_kind", pu.kind},
                           {"allowed", pu.allowed},
                           {"numa_nodes", near}});
  }
  json["distances"] = Json::array();
  for (const Node& from : topology.nodes()) {
    Json row = Json::array();
    for (const Node& to : topology.nodes()) row.push_back(topology.Distance(from.id, to.id));
    json["distances"].push_back(row);
  }
  return Dump(json);
}

std::string ReportAsJson(const VerifyReport& report) {
  Json json = {{"ok", report.ok()}, {"threads", Json::array()}, {"memory", Json::array()}};
  for (const ThreadFinding& finding : report.threads) {
    json["threads"].push_back({{"thread", finding.thread},
                               {"pu_asked", ToInt(finding.asked)},
                               {"pu_actual", ToInt(finding.actual)},
                               {"mask", finding.mask.ToString()},
                               {"problem", finding.problem}});
  }
  for (const MemoryFinding& finding : report.memory) {
    json["memory"].push_back({{"name", finding.name},
                              {"asked", finding.asked},
                              {"pages_by_numa_node", finding.tally.on_node},
                              {"pages_misplaced", finding.tally.misplaced},
                              {"pages_untouched", finding.tally.untouched},
                              {"problem", finding.problem}});
  }
  json["notes"] = report.notes;
  return Dump(json);
}

std::string ReportAsTable(const VerifyReport& report) {
  Rows rows = {{"thread", "PU asked", "PU actual", "may run on"}};
  for (const ThreadFinding& finding : report.threads) {
    rows.push_back({absl::StrCat(finding.thread), Cell(ToInt(finding.asked)),
                    Cell(ToInt(finding.actual)), finding.mask.ToString()});
  }
  std::string text = Align(rows);
  for (const MemoryFinding& finding : report.memory) {
    absl::StrAppend(&text, "memory '", finding.name, "' on ", finding.asked, ": pages by node");
    for (std::int64_t pages : finding.tally.on_node) absl::StrAppend(&text, " ", pages);
    absl::StrAppend(&text, ", misplaced ", finding.tally.misplaced, "\n");
  }
  return text + report.ToString();
}

}  // namespace topo::cli
