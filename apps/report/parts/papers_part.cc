#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apps/report/parts/parts.h"

namespace report {
namespace {

using Kind = HtmlColumn::Kind;

// "0.75", "[1, 2, 4, ...": a claim's value as a cell.
std::string ShortOf(const Json& claim, const char* key) {
  constexpr std::size_t kLongest = 48;
  const auto value = claim.find(key);
  if (value == claim.end() || value->is_null()) return "";
  if (value->is_boolean()) return value->get<bool>() ? "seen" : "not seen";
  if (value->is_number()) return BriefOf(claim, key);
  const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + " ...";
}

bool Differs(const Json& claim) {
  const auto agrees = claim.find("agrees");
  return agrees != claim.end() && agrees->is_boolean() && !agrees->get<bool>();
}

// All rows of one kind: those that were measured on this machine are never beside simulated ones.
std::string RowsOf(const Json& paper, const std::string& kind) {
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : paper["rows"]) {
    if (TextOf(row, "kind") != kind) continue;
    cells.push_back({TextOf(row, "row"), TextOf(row, "title"), TextOf(row, "verdict")});
  }
  if (cells.empty()) return "";
  return Heading(kind.empty() ? "Without a command yet" : "What is " + kind) +
         HtmlTable({{"row", Kind::kWord}, {"what it shows", Kind::kWord}, {"verdict", Kind::kWord}},
                   cells);
}

// What the claim is with the paper's cause (tools/papers): "" where there is none.
std::string SwitchedOf(const Json& row, const Json& claim) {
  const auto cause = row.find("cause");
  if (cause == row.end()) return "";
  return ShortOf((*cause)["ours"], TextOf(claim, "claim").c_str());
}

std::string Differences(const Json& paper) {
  std::vector<std::vector<std::string>> cells;
  std::string causes;
  for (const Json& row : paper["rows"]) {
    for (const Json& claim : row["claims"]) {
      if (!Differs(claim)) continue;
      cells.push_back({TextOf(row, "row"), TextOf(claim, "claim"), ShortOf(claim, "paper"),
                       ShortOf(claim, "ours"), SwitchedOf(row, claim), TextOf(row, "kind")});
    }
    if (row.contains("cause")) {
      causes += Paragraph(TextOf(row, "row") + ": " + TextOf(row["cause"], "sentence"));
    }
  }
  if (cells.empty()) return "";
  return Heading("What differs") +
         HtmlTable({{"row", Kind::kWord},
                    {"claim", Kind::kWord},
                    {"paper", Kind::kWord},
                    {"here", Kind::kWord},
                    {"with the paper's cause", Kind::kWord},
                    {"kind", Kind::kWord}},
                   cells) +
         causes;
}

std::string FiguresOf(const Json& paper) {
  std::string figures;
  for (const Json& row : paper["rows"]) {
    if (!row.contains("figures")) continue;
    for (const Json& figure : row["figures"]) {
      const std::string title = TextOf(row, "row") + ": " + TextOf(row, "title");
      figures += Heading(title) + Picture(figure.get<std::string>(), title);
    }
  }
  return figures;
}

void AddCommands(const Json& of, std::string& commands) {
  for (const Json& command : of["commands"]) {
    const std::string line = command.get<std::string>();
    if (("\n" + commands + "\n").find("\n" + line + "\n") != std::string::npos) continue;
    commands += (commands.empty() ? "" : "\n") + line;
  }
}

std::string CommandsOfRows(const Json& paper) {
  std::string commands;
  for (const Json& row : paper["rows"]) {
    AddCommands(row, commands);
    if (row.contains("cause")) AddCommands(row["cause"], commands);
  }
  return commands;
}

bool AreStrings(const Json& list) {
  return list.is_array() &&
         std::all_of(list.begin(), list.end(), [](const Json& each) { return each.is_string(); });
}

bool IsCause(const Json& cause) {
  return cause.is_object() && cause.contains("sentence") && cause.contains("commands") &&
         AreStrings(cause["commands"]) && cause.contains("ours") && cause["ours"].is_object();
}

// As tools/paper writes it.
bool IsPaper(const Json& paper) {
  if (!paper.is_object() || !paper.contains("paper") || !paper.contains("rows")) return false;
  if (!paper["rows"].is_array()) return false;
  for (const Json& row : paper["rows"]) {
    if (!row.is_object()) return false;
    for (const char* const key : {"row", "title", "verdict", "claims", "commands"}) {
      if (!row.contains(key)) return false;
    }
    if (!row["claims"].is_array() || !AreStrings(row["commands"])) return false;
    if (row.contains("figures") && !AreStrings(row["figures"])) return false;
    if (row.contains("cause") && !IsCause(row["cause"])) return false;
    for (const Json& claim : row["claims"]) {
      if (!claim.is_object()) return false;
    }
  }
  return true;
}

Section SectionOf(const Json& paper) {
  int agrees = 0, differs = 0, rows = 0;
  for (const Json& row : paper["rows"]) {
    ++rows;
    agrees += TextOf(row, "verdict") == "agrees" ? 1 : 0;
    differs += TextOf(row, "verdict") == "differs" ? 1 : 0;
  }
  Section section = {.id = "paper-" + TextOf(paper, "paper"),
                     .title = TextOf(paper, "paper") + ": the paper's rows beside ours",
                     .summary = TextOf(paper, "authors") + ", " + TextOf(paper, "title") +
                                ". Its machine: " + TextOf(paper, "machine") + ".",
                     .html = "",
                     .headlines = {{std::to_string(agrees) + " of " + std::to_string(rows),
                                    "rows of the paper on " + TextOf(paper, "paper") + " agree, " +
                                        std::to_string(differs) + " differ",
                                    ""}}};
  section.html = Differences(paper);
  for (const char* const kind : {"measured", "simulated", "computed", "tested", ""}) {
    section.html += RowsOf(paper, kind);
  }
  section.html += FiguresOf(paper) + Reproduce(CommandsOfRows(paper));
  return section;
}

}  // namespace

absl::StatusOr<std::vector<Section>> PapersParts(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) return text.status();
  const auto json = ParseJson(*text, path);
  if (!json.ok()) return json.status();
  const auto fault =
      absl::InvalidArgumentError(path + ": expected papers, as `tools/paper --json` writes them");
  if (!json->is_object() || !json->contains("papers") || !(*json)["papers"].is_array()) {
    return fault;
  }
  std::vector<Section> sections;
  for (const Json& paper : (*json)["papers"]) {
    if (!IsPaper(paper)) return fault;
    sections.push_back(SectionOf(paper));
  }
  return sections;
}

}  // namespace report
