#include "llcl/job.h"

#include "llcl/ofi_conduit.h"
#include "llcl/place.h"
#include "llcl/smp_conduit.h"

namespace llcl {

absl::StatusOr<std::unique_ptr<Conduit>> MakeConduit(Launch& launch) {
  ConduitChoice choice = FindConduitChoice();
  if (choice.conduit.empty()) {
    const absl::StatusOr<std::vector<Place>> places = GatherPlaces(launch);
    if (!places.ok()) return places.status();
    choice.conduit = AreTogether(*places) && choice.provider.empty() ? "smp" : "ofi";
  }
  if (choice.conduit == "smp") return MakeSmpConduit(launch);
  if (choice.conduit == "ofi") return MakeOfiConduit(launch, {.provider = choice.provider});
  return absl::InvalidArgumentError("LLCL_CONDUIT is " + choice.conduit +
                                    ", but there are only smp and ofi");
}

}  // namespace llcl
