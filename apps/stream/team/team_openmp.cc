#include <omp.h>

#include <optional>
#include <string>
#include <vector>

#include "apps/stream/team/team.h"

namespace stream {
namespace {

// libgomp keeps its threads between regions of one size, so that thread i of
// the next region is thread i of the one that pinned it.
class OpenMpTeam : public Team {
 public:
  explicit OpenMpTeam(topo::Mapping mapping)
      : mapping_(std::move(mapping)), pins_(mapping_.size()) {}

  absl::Status Pin(const topo::Topology& topology) {
    std::vector<absl::Status> outcomes(mapping_.size());
    int threads = 0;
#pragma omp parallel num_threads(mapping_.size())
    {
      const int thread = omp_get_thread_num();
      if (thread == 0) threads = omp_get_num_threads();
      auto pin = topo::ScopedAffinity::Pin(topology, mapping_[thread]);
      if (pin.ok()) {
        pins_[thread].emplace(*std::move(pin));
      } else {
        outcomes[thread] = pin.status();
      }
    }
    if (threads != mapping_.size()) {
      return absl::ResourceExhaustedError("OpenMP gives " + std::to_string(threads) + " of " +
                                          std::to_string(mapping_.size()) +
                                          " threads (is OMP_THREAD_LIMIT set?)");
    }
    for (const absl::Status& outcome : outcomes) {
      if (!outcome.ok()) return outcome;
    }
    return absl::OkStatus();
  }

  // Each thread gives its own mask back.
  ~OpenMpTeam() override {
#pragma omp parallel num_threads(mapping_.size())
    pins_[omp_get_thread_num()].reset();
  }

  void Run(const std::function<void(const topo::Slot&)>& body) override {
#pragma omp parallel num_threads(mapping_.size())
    body(mapping_[omp_get_thread_num()]);
  }

 private:
  const topo::Mapping mapping_;
  std::vector<std::optional<topo::ScopedAffinity>> pins_;  // [i] touched by thread i only
};

}  // namespace

absl::StatusOr<std::unique_ptr<Team>> StartOpenMpTeam(const topo::Topology& topology,
                                                      const topo::Mapping& mapping) {
  omp_set_dynamic(0);
  auto team = std::make_unique<OpenMpTeam>(mapping);
  if (absl::Status status = team->Pin(topology); !status.ok()) return status;
  return team;
}

}  // namespace stream
