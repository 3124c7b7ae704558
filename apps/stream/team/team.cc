#include "apps/stream/team/team.h"

namespace stream {

std::string_view ToString(Runtime runtime) {
  switch (runtime) {
    case Runtime::kOpenMp:
      return "openmp";
    case Runtime::kTbb:
      return "tbb";
    case Runtime::kStd:
      return "std";
  }
  return "";
}

absl::StatusOr<std::unique_ptr<Team>> StartTeam(Runtime runtime, const topo::Topology& topology,
                                                const topo::Mapping& mapping) {
  switch (runtime) {
    case Runtime::kOpenMp:
      return StartOpenMpTeam(topology, mapping);
    case Runtime::kTbb:
      return StartTbbTeam(topology, mapping);
    case Runtime::kStd:
      return StartStdTeam(topology, mapping);
  }
  return absl::InvalidArgumentError("no such runtime");
}

}  // namespace stream
