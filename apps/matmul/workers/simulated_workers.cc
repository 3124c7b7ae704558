#include <cstddef>
#include <utility>

#include "apps/matmul/workers/opteron.h"
#include "apps/matmul/workers/threads.h"
#include "apps/matmul/workers/workers.h"
#include "lwt/lwt.h"
#include "lwt/simulation.h"

namespace matmul {
namespace {

constexpr std::size_t kTileBytes = sizeof(float) * sgemm::kLeaf * sgemm::kLeaf;
// DDR2-667 on two channels gives 10.7 GB/s, of which 0.64 are used.
constexpr double kNodeTileNs = kTileBytes / 6.8;
constexpr double kLeafFlop = 2.0 * sgemm::kLeaf * sgemm::kLeaf * sgemm::kLeaf;

// Leaves are computed really, to be checked; what they cost is the model's word:
// the core's best speed, and three tiles. A tile counts as one block of memory,
// though its rows lie apart, for a core moves its lines and no others.
struct SimulatedThreads : Threads {
  void Leaf(const sgemm::Block& block, sgemm::Into into) {
    UseTile(whole.a, block.a, lwt::Access::kRead);
    UseTile(whole.b, block.b, lwt::Access::kRead);
    UseTile(whole.c, block.c, lwt::Access::kWrite);
    lwt::Compute(kLeafFlop / kGflopPerSecondOfCore);
    leaf(block.a, block.b, block.c, block.ld, into);
  }

  void UseTile(const float* matrix, const float* tile, lwt::Access access) const {
    const std::ptrdiff_t at = tile - matrix;
    const std::ptrdiff_t number =
        at / whole.ld / sgemm::kLeaf * (whole.ld / sgemm::kLeaf) + at % whole.ld / sgemm::kLeaf;
    // A name for it, never read through.
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(matrix) / kTileBytes;
    lwt::Touch(
        reinterpret_cast<const void*>((first + static_cast<std::uintptr_t>(number)) * kTileBytes),
        kTileBytes, access);
  }

  sgemm::Block whole;
  sgemm::LeafCode leaf = sgemm::BestLeaf().code;
};

lwt::SimulationOptions PapersMachine(Home home) {
  lwt::SimulationOptions options;
  options.costs.block_bytes = kTileBytes;
  options.node_of = SocketsOfCores();
  options.node_distances = SocketDistances();
  options.costs.node_block_ns = kNodeTileNs;
  if (home == Home::kOneNode) options.home_node = 0;
  return options;
}

// Each product has a pool of its own: clocks at zero, caches empty, and a schedule
// that depends on its seed only.
class SimulatedWorkers final : public Workers {
 public:
  SimulatedWorkers(int workers, Home home) : workers_(workers), home_(home) {}

  absl::StatusOr<Outcome> Compute(const Job& job) override {
    // Without steals the other workers would be idle.
    const int workers = job.rule.victims == Victims::kNone ? 1 : workers_;
    const auto pool = lwt::Pool::Create({.workers = workers,
                                         .policy = PolicyOf(job.rule, workers),
                                         .seed = job.seed,
                                         .simulation = PapersMachine(home_)});
    if (!pool.ok()) return pool.status();
    SimulatedThreads threads{{job.spawn_depth}, job.block};
    (*pool)->Run([&] { sgemm::Multiply(threads, job.block, sgemm::Into::kEmpty); });
    return Outcome{(*pool)->simulated_ns() * 1e-9, WorkOf(**pool)};
  }

 private:
  int workers_;
  Home home_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Workers>> StartSimulatedWorkers(int workers, Home home) {
  return std::make_unique<SimulatedWorkers>(workers, home);
}

}  // namespace matmul
