#include <chrono>
#include <utility>

#include "apps/matmul/workers/threads.h"
#include "apps/matmul/workers/workers.h"
#include "lwt/lwt.h"

namespace matmul {
namespace {

struct RealThreads : Threads {
  void Leaf(const sgemm::Block& block, sgemm::Into into) {
    leaf(block.a, block.b, block.c, block.ld, into);
  }
  sgemm::LeafCode leaf = sgemm::BestLeaf().code;
};

class RealWorkers final : public Workers {
 public:
  explicit RealWorkers(std::unique_ptr<lwt::Pool> pool) : pool_(std::move(pool)) {}

  absl::StatusOr<Outcome> Compute(const Job& job) override {
    if (job.rule != rule_) {
      pool_->SetPolicy(PolicyOf(job.rule, pool_->workers()));
      rule_ = job.rule;
    }
    RealThreads threads{{job.spawn_depth}};
    Outcome outcome;
    const Work before = WorkOf(*pool_);
    const auto start = std::chrono::steady_clock::now();
    pool_->Run([&] { sgemm::Multiply(threads, job.block, sgemm::Into::kEmpty); });
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.work = WorkOf(*pool_);
    outcome.work -= before;
    return outcome;
  }

 private:
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
