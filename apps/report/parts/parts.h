// The parts of the report: one file each; parts.cc lists them.
//
// A program's part makes a section from the runs of that program: a summary for
// the first screen (what was run, what to see), headlines, figures. To add one:
// write <app>_part.cc beside stream_part.cc, declare it here, list it in
// PartFor(). Until then OtherPart shows the program's rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/report/input/input.h"
#include "apps/report/page/page.h"

namespace report {

// A value: the files of a machine's part, which //topo/cli:topo wrote.
struct MachineFiles {
  std::string id;
  std::string title;
  std::string topology;  // the description; empty: the machine this runs on
  std::string svg;       // written by `topo <drawn_by> --svg=FILE`; empty: no drawing
  std::string drawn_by;  // as "map --policy=scatter"
  std::vector<std::pair<std::string, std::string>> mappings;  // policy, `map --format=json`
};
absl::StatusOr<Section> MachinePart(const MachineFiles& files);

// All take at least one run, all of their own program.
using Part = absl::StatusOr<Section> (*)(const std::vector<Run>& runs);
absl::StatusOr<Section> BfsPart(const std::vector<Run>& runs);
absl::StatusOr<Section> RmaPart(const std::vector<Run>& runs);
absl::StatusOr<Section> SdpaPart(const std::vector<Run>& runs);
absl::StatusOr<Section> SimpathPart(const std::vector<Run>& runs);
absl::StatusOr<Section> StreamPart(const std::vector<Run>& runs);
absl::StatusOr<Section> CholeskyPart(const std::vector<Run>& runs);
absl::StatusOr<Section> MatmulPart(const std::vector<Run>& runs);
absl::StatusOr<Section> StencilPart(const std::vector<Run>& runs);
// The section's part about simulated nodes; at least one run, all of simulated nodes.
Section SimulatedStencilPart(const std::vector<Run>& runs);

// Any program that has no part of its own: its rows as they are.
absl::StatusOr<Section> OtherPart(const std::vector<Run>& runs);

// What tools/paper wrote with --json: a section for each paper.
absl::StatusOr<std::vector<Section>> PapersParts(const std::string& path);

Part PartFor(const std::string& app);

// What the page says first: which of these programs were run, and what their figures are.
std::string LeadOf(const std::vector<std::string>& apps);

}  // namespace report
