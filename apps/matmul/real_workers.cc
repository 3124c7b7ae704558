#include <chrono>
#include <utility>

#include "apps/matmul/shallowest.h"
#include "apps/matmul/workers.h"
#include "lwt/lwt.h"

namespace matmul {
namespace {

static_assert(kDepths == lwt::kMostDepths);

// Full threads that carry their depth, two for every pair of halves as in the
// paper's source 1.
struct Threads {
  int spawn_depth;
  sgemm::LeafCode leaf = sgemm::BestLeaf().code;

  template <typename F, typename G>
  void Both(int depth, F&& f, G&& g) {
    if (depth > spawn_depth) {
      f();
      g();
      return;
    }
    lwt::Thread first = lwt::SpawnWithHint(depth, f);
    lwt::Thread second = lwt::SpawnWithHint(depth, g);
    first.Join();
    second.Join();
  }
  void Leaf(const sgemm::Block& block, sgemm::Into into) {
    leaf(block.a, block.b, block.c, block.ld, into);
  }
};

lwt::AnyPolicy PolicyOf(const StealRule& rule) {
  if (rule.victims == Victims::kDepth) return Shallowest{rule.candidates};
  return lwt::RandomVictim();
}

class RealWorkers final : public Workers {
 public:
  explicit RealWorkers(std::unique_ptr<lwt::Pool> pool) : pool_(std::move(pool)) {}

  Outcome Compute(const Job& job) override {
    if (job.rule != rule_) {
      pool_->SetPolicy(PolicyOf(job.rule));
      rule_ = job.rule;
    }
    Threads threads{job.spawn_depth};
    Outcome outcome;
    const Work before = DoneSoFar();
    const auto start = std::chrono::steady_clock::now();
    pool_->Run([&] { sgemm::Multiply(threads, job.block, sgemm::Into::kEmpty); });
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.work = DoneSoFar();
    outcome.work -= before;
    return outcome;
  }

 private:
  Work DoneSoFar() const {
    Work work;
    for (int i = 0; i < pool_->workers(); ++i) {
      const lwt::Counters& counters = pool_->worker(i).counters();
      work.spawns += counters.spawns.value();
      work.empty += counters.empty.value();
      work.lost += counters.lost.value();
      work.parks += counters.parks.value();
      for (std::size_t depth = 0; depth < work.steals_by_depth.size(); ++depth) {
        const std::int64_t steals = counters.steals_by_depth[depth].value();
        work.steals_by_depth[depth] += steals;
        work.steals += steals;
      }
    }
    return work;
  }

  std::unique_ptr<lwt::Pool> pool_;
  StealRule rule_;  // the pool's own default
};

}  // namespace

absl::StatusOr<std::unique_ptr<Workers>> StartRealWorkers(int workers, std::uint64_t seed) {
  auto pool = lwt::Pool::Create({.workers = workers, .seed = seed});
  if (!pool.ok()) return pool.status();
  return std::make_unique<RealWorkers>(*std::move(pool));
}

}  // namespace matmul
