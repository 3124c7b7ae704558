#include "apps/graph/report.h"

namespace graph {
namespace {

std::string Counted(std::uint64_t count, const std::string& noun, const std::string& plural) {
  return std::to_string(count) + " " + (count == 1 ? noun : plural);
}

}  // namespace

std::string ToText(const Report& report) {
  std::string text = report.file + ": " + std::string(FormatName(report.format));
  if (report.is_format_guessed) text += " (guessed)";
  if (!report.compression.empty()) text += ", unpacked by " + report.compression;
  text += "; " + Counted(report.vertices, "vertex", "vertices");
  if (report.left_vertices > 0) {
    text += " (" + std::to_string(report.left_vertices) + " on the left side, " +
            std::to_string(report.vertices - report.left_vertices) + " on the right)";
  }
  const bool is_directed = report.direction == Direction::kDirected;
  text +=
      ", " + Counted(report.edges, is_directed ? "arc" : "edge", is_directed ? "arcs" : "edges");
  if (!is_directed) text += report.may_be_arcs ? " (--directed: arcs)" : " without direction";
  text += ", " + Counted(report.counts.self_loops, "self-loop", "self-loops");
  text += ", " + std::to_string(report.counts.repeated) + " repeated; ";
  text += report.weights == Weights::kNone   ? "no weights"
          : report.weights == Weights::kKept ? "weights kept"
                                             : "weights dropped";
  if (report.vertices == 0) return text;
  text += "; ids " + std::to_string(report.first_id) + " to " + std::to_string(report.last_id);
  if (report.has_renamed_ids) text += " with gaps";
  return text;
}

}  // namespace graph
