#include <algorithm>

#include "apps/report/parts.h"

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
  Section section{.id = files.id, .title = files.title, .html = "", .headlines = {}};
  const std::string topo = "bazel run -c opt //topo/cli:topo -- ";
  const std::string where = files.topology.empty() ? "" : " --topology='" + files.topology + "'";
  if (!files.svg.empty()) {
    const auto svg = ReadFile(files.svg);
    if (!svg.ok()) return svg.status();
    if (svg->find("<svg") == std::string::npos) {
      return absl::InvalidArgumentError(files.svg +
                                        ": expected SVG, as `topo show --svg=FILE` writes it");
    }
    section.html += Picture(*svg, files.title + " as a drawing");
    section.html += Reproduce(topo + files.drawn_by + where + " --svg=machine.svg");
  }
  for (const auto& [policy, path] : files.mappings) {
    const auto mapping = ReadMapping(path);
    if (!mapping.ok()) return mapping.status();
    section.html += Heading("Policy " + policy + ": the PU of each thread") + PuTable(*mapping) +
                    Reproduce(topo + "map" + where + " --policy=" + policy +
                              " --threads=" + std::to_string(mapping->size()));
  }
  return section;
}

}  // namespace report
