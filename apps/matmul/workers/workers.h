// The workers that compute: real or simulated.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/matmul/problem/variant.h"
#include "apps/program/words.h"
#include "lwt/simulation.h"
#include "lwt/workloads/sgemm.h"

namespace matmul {

enum class Mode { kReal, kSimulated };
inline constexpr program::Words<Mode> kModes = {{Mode::kReal, "real"},
                                                {Mode::kSimulated, "simulated"}};
constexpr std::string_view ToString(Mode mode) { return kModes.Print(mode); }

// As many depths as lwt counts apart; the last counts deeper steals, too.
inline constexpr int kDepths = 64;

// A value. What the workers did, all together.
struct Work {
  std::int64_t spawns = 0;
  std::int64_t steals = 0;
  std::int64_t empty = 0;  // tries that found nothing
  std::int64_t lost = 0;   // tries that met another thief or the owner
  std::int64_t parks = 0;
  std::array<std::int64_t, kDepths> steals_by_depth{};
  lwt::SimulatedTime virtual_time;  // all 0 on real workers

  Work& operator+=(const Work& other);
  Work& operator-=(const Work& other);
};

// A value. One product to be computed.
struct Job {
  sgemm::Block block;
  int spawn_depth = 0;  // deeper halves are plain calls
  StealRule rule;
  std::uint64_t seed = 1;  // of a simulated schedule; real workers have theirs
};

// A value.
struct Outcome {
  double seconds = 0;  // virtual with simulated workers
  Work work;
};

// A resource: workers that have been started.
class Workers {
 public:
  virtual ~Workers() = default;
  virtual absl::StatusOr<Outcome> Compute(const Job& job) = 0;
};

// Errors, here and in Compute: those of lwt::Pool::Create. `home` is of simulated workers.
absl::StatusOr<std::unique_ptr<Workers>> StartWorkers(Mode mode, int workers, std::uint64_t seed,
                                                      Home home = Home::kOneNode);

// StartWorkers calls one of these.
absl::StatusOr<std::unique_ptr<Workers>> StartRealWorkers(int workers, std::uint64_t seed);
absl::StatusOr<std::unique_ptr<Workers>> StartSimulatedWorkers(int workers, Home home);

}  // namespace matmul
