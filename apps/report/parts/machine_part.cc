#include <algorithm>

#include "apps/report/parts/parts.h"

namespace report {
namespace {

// The paper's table 3: PU numbers in thread order, eight a row.
std::string PuTable(const Json& mapping) {
  constexpr std::size_t kPerRow = 8;
  std::vector<HtmlColumn> columns = {{"threads", HtmlColumn::Kind::kWord}};
  for (std::size_t i = 0; i < std::min(kPerRow, mapping.size()); ++i) {
    columns.push_back({"+" + std::to_string(i), HtmlColumn::Kind::kNumber});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t thread = 0; thread < mapping.size(); ++thread) {
    if (thread % kPerRow == 0) {
      const std::size_t last = std::min(thread + kPerRow, mapping.size()) - 1;
      rows.push_back({std::to_string(thread) + " – " + std::to_string(last)});
    }
    const Json& slot = mapping[thread];
    rows.back().push_back(NumberOf(slot, "pu") < 0 ? "any" : TextOf(slot, "pu"));
  }
  return HtmlTable(columns, rows);
}

std::vector<double> PusOf(const Json& mapping) {
  std::vector<double> pus;
  for (const Json& slot : mapping) pus.push_back(NumberOf(slot, "pu"));
  return pus;
}

absl::StatusOr<Json> ReadMapping(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) return text.status();
  auto json = ParseJson(*text, path);
  if (!json.ok()) return json.status();
  bool good = json->is_array();
  if (good) {
    for (const Json& slot : *json) {
      good = good && slot.is_object() && slot.contains("thread") && slot.contains("pu");
    }
  }
  if (!good) {
    return absl::InvalidArgumentError(
        path + ": expected a list of slots, as `topo map --format=json` writes it");
  }
  return json;
}

}  // namespace

absl::StatusOr<Section> MachinePart(const MachineFiles& files) {
  const bool is_drawn = !files.svg.empty();
  Section section{
      .id = files.id,
      .title = files.title,
      .summary = files.topology.empty()
                     ? "What is near what, and where each affinity policy puts the threads."
                     : "A larger machine that is not here, by its description: see that its "
                       "mapping tables are the paper's.",
      .html = "",
      .headlines = {}};
  const std::string topo = "bazel run -c opt //topo/cli:topo -- ";
  std::string commands;
  const std::string where = files.topology.empty() ? "" : " --topology='" + files.topology + "'";
  if (is_drawn) {
    const auto svg = ReadFile(files.svg);
    if (!svg.ok()) return svg.status();
    if (svg->find("<svg") == std::string::npos) {
      return absl::InvalidArgumentError(files.svg +
                                        ": expected SVG, as `topo show --svg=FILE` writes it");
    }
    section.html += Picture(*svg, files.title + " as a drawing");
    commands = topo + files.drawn_by + where + " --svg=machine.svg";
  }
  // Policies that put all threads alike, as on one node, share a table.
  std::vector<std::pair<std::vector<std::string>, Json>> tables;
  for (const auto& [policy, path] : files.mappings) {
    auto mapping = ReadMapping(path);
    if (!mapping.ok()) return mapping.status();
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const auto& table) {
      return PusOf(table.second) == PusOf(*mapping);
    });
    if (same == tables.end()) {
      tables.push_back({{policy}, *std::move(mapping)});
    } else {
      same->first.push_back(policy);
    }
  }
  for (const auto& [policies, mapping] : tables) {
    const std::string names = Listed(policies);
    const bool is_shared = policies.size() > 1;
    section.html +=
        Heading((is_shared ? "Policies " : "Policy ") + names + ": the PU of each thread");
    if (is_shared) section.html += Paragraph("Here " + names + " do the same.");
    section.html += PuTable(mapping);
    commands += (commands.empty() ? "" : "\n") + topo + "map" + where +
                " --policy=" + policies.front() + " --threads=" + std::to_string(mapping.size());
  }
  section.html += Reproduce(commands);
  return section;
}

}  // namespace report
