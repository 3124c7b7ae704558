#include "apps/graph/read.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "apps/graph/count_edges.h"
#include "apps/graph/file_bytes.h"
#include "apps/graph/files/decompress.h"
#include "apps/graph/files/tar.h"
#include "apps/graph/serialized.h"

namespace graph {
namespace {

// A value: the bytes of a graph and the name that faults give them.
struct Input {
  FileBytes file;
  std::string name;
  std::string compression;
  std::string_view bytes;
};

// The way of packing that no program here unpacks; empty where there is none.
std::string OtherPacking(std::string_view bytes) {
  if (bytes.substr(0, 4) == "PK\x03\x04") return "a zip archive";
  if (bytes.substr(0, 6) == "7z\xbc\xaf\x27\x1c") return "a 7z archive";
  if (bytes.substr(0, 2) == "\x1f\x9d") return "compressed by compress";
  return "";
}

absl::StatusOr<Input> OpenInput(const std::string& path, std::uint64_t most_bytes) {
  absl::StatusOr<FileBytes> file = FileBytes::Open(path);
  if (!file.ok()) return file.status();
  Input input = {*std::move(file), path == "-" ? "standard input" : path, "", {}};
  constexpr int kMostTimes = 3;  // that a file is packed
  for (int i = 0; i < kMostTimes; ++i) {
    const auto program = CompressionOf(input.file.bytes());
    if (!program) break;
    auto unpacked = Decompress(*program, input.name, input.file.bytes(), most_bytes);
    if (!unpacked.ok()) return unpacked.status();
    input = {FileBytes::Of(*std::move(unpacked)), std::move(input.name), *program, {}};
  }
  input.bytes = input.file.bytes();
  if (IsTar(input.bytes)) {
    const auto largest = LargestFile(input.name, input.bytes);
    if (!largest.ok()) return largest.status();
    input.name += ":" + largest->name;
    input.bytes = largest->bytes;
  } else if (const std::string packing = OtherPacking(input.bytes); !packing.empty()) {
    return absl::InvalidArgumentError(input.name + ": it is " + packing + ": unpack it first");
  }
  return input;
}

// The same fault, which says the format as well.
absl::Status WithFormat(const absl::Status& status, Format format, bool is_guessed) {
  return absl::Status(
      status.code(),
      std::string(status.message()) + " (read as " + std::string(FormatName(format)) +
          (is_guessed ? ", a guess; --format says another)" : ", as --format says)"));
}

void SetIds(const Ids& ids, Report& report) {
  report.has_renamed_ids = ids.has_table();
  if (report.vertices == 0) return;
  report.first_id = ids.first();
  report.last_id = ids.of(report.vertices - 1);
}

Report ReportOf(const Input& input, const EdgeList& list, Format format, bool is_guessed,
                const ParseOptions& options) {
  Report report;
  report.file = input.name;
  report.compression = input.compression;
  report.format = format;
  report.is_format_guessed = is_guessed;
  report.vertices = list.vertices;
  report.left_vertices = list.left_vertices;
  report.edges = list.edges.size();
  report.counts = CountEdges(list, options.threads);
  report.direction = list.direction;
  report.may_be_arcs = HasNoDirections(format) && list.direction == Direction::kUndirected &&
                       list.left_vertices == 0 && !options.direction;
  report.weights = !list.weights.empty() ? Weights::kKept
                   : list.drops_weights  ? Weights::kDropped
                                         : Weights::kNone;
  SetIds(list.ids, report);
  return report;
}

Report ReportOf(const std::string& path, const MappedEdges& edges, bool is_guessed) {
  const SerializedRows& rows = edges.rows();
  Report report;
  report.file = path;
  report.format = Format::kGapbs;
  report.is_format_guessed = is_guessed;
  report.vertices = rows.vertices();
  report.left_vertices = rows.left_vertices();
  report.edges = edges.count();
  report.counts = edges.Count();
  report.direction = rows.direction();
  report.weights = rows.has_weights() ? Weights::kDropped : Weights::kNone;
  SetIds(rows.ids(), report);
  return report;
}

}  // namespace

absl::StatusOr<ReadGraph> Read(const std::string& path, ReadOptions options) {
  const auto input = OpenInput(path, options.most_bytes);
  if (!input.ok()) return input.status();
  const bool is_guessed = !options.format;
  if (is_guessed) {
    const auto format = GuessFormat(input->name, input->bytes);
    if (!format.ok()) return format.status();
    options.format = *format;
  }
  if (options.parse.threads == 0) {
    options.parse.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  constexpr int kMostThreads = 256;
  options.parse.threads = std::clamp(options.parse.threads, 1, kMostThreads);
  absl::StatusOr<EdgeList> list = Parse(*options.format, input->name, input->bytes, options.parse);
  if (!list.ok()) return WithFormat(list.status(), *options.format, is_guessed);
  Report report = ReportOf(*input, *list, *options.format, is_guessed, options.parse);
  return ReadGraph{*std::move(list), std::move(report)};
}

absl::StatusOr<MappedGraph> Map(const std::string& path, const ReadOptions& options) {
  const bool is_guessed = !options.format;
  MappedGraph graph;
  if (options.parse.keep_weights || options.parse.direction) return graph;
  // A pipe could be read only once, and Read may have to.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return graph;
  if (!is_guessed && *options.format != Format::kGapbs) return graph;
  absl::StatusOr<FileBytes> file = FileBytes::Open(path);
  if (!file.ok()) return file.status();
  if (CompressionOf(file->bytes()) || IsTar(file->bytes())) return graph;
  if (is_guessed) {
    const auto format = GuessFormat(path, file->bytes());
    if (!format.ok() || *format != Format::kGapbs) return graph;
  }
  const auto rows = SerializedRows::Of(path, file->bytes());
  if (!rows.ok()) return WithFormat(rows.status(), Format::kGapbs, is_guessed);
  if (!rows->ascends()) return graph;
  graph.edges = std::make_shared<const MappedEdges>(*std::move(file), *rows);
  graph.report = ReportOf(path, *graph.edges, is_guessed);
  return graph;
}

}  // namespace graph
