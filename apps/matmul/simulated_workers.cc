#include "apps/matmul/workers.h"

namespace matmul {

absl::StatusOr<std::unique_ptr<Workers>> StartSimulatedWorkers(int, std::uint64_t) {
  return absl::UnimplementedError(
      "--mode=simulated: the simulated scheduler is not in this build yet");
}

}  // namespace matmul
