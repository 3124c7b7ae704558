#include "apps/report/parts/parts.h"

#include <map>

namespace report {

Part PartFor(const std::string& app) {
  static const std::map<std::string, Part> parts = {
      {"bfs", BfsPart},         {"cholesky", CholeskyPart}, {"matmul", MatmulPart},
      {"rma", RmaPart},         {"sdpa", SdpaPart},         {"simpath", SimpathPart},
      {"stencil", StencilPart}, {"stream", StreamPart},
  };
  const auto found = parts.find(app);
  return found == parts.end() ? OtherPart : found->second;
}

std::string LeadOf(const std::vector<std::string>& apps) {
  if (apps.empty()) return "This page shows machines; no program was run.";
  return "On this machine " + Listed(apps) + (apps.size() == 1 ? " was run" : " were run") +
         ", which keep work near its data with five C++ libraries. Every answer was verified; what "
         "was "
         "measured stands with its quartiles, and what is simulated says so.";
}

}  // namespace report
