#include "apps/stream/team/team.h"

namespace stream {

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
