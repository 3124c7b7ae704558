// taskrt's rows.
#include <benchmark/benchmark.h>

#include <iostream>
#include <optional>

#include "absl/status/status.h"
#include "taskrt/benches/dags.h"
#include "taskrt/benches/factorization.h"
#include "taskrt/benches/simulated.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"

namespace {

using taskrt::Access;
using taskrt::Handle;
using taskrt::Kernel;
using taskrt::Mode;
using taskrt::Runtime;
using taskrt::Tile;

std::uint64_t& CellOf(const Tile& tile) { return *reinterpret_cast<std::uint64_t*>(tile.data); }

class Taskrt {
 public:
  static constexpr const char* kName = "taskrt";
  static constexpr int kIterationsDividedBy = 1;

  explicit Taskrt(int workers) : runtime_(*Runtime::Create({.pool = {.workers = workers}})) {}
  Taskrt(int workers, std::span<std::uint64_t> cells) : Taskrt(workers) {
    for (std::uint64_t& cell : cells) {
      handles_.push_back(runtime_->Register(
          "cell", {reinterpret_cast<std::byte*>(&cell), 1, sizeof(cell), sizeof(cell)}));
    }
  }

  void Run(const dags::Dag& dag, dags::Work work) {
    const absl::Status done = runtime_->Run([&](Runtime& runtime) {
      SubmitAll(runtime, dag, work);
      return runtime.Wait();
    });
    if (!done.ok()) std::cerr << done << "\n";
  }

  void Record(const dags::Dag& dag, dags::Work work) {
    graph_.emplace(*runtime_);
    SubmitAll(*graph_, dag, work);
  }
  void RunAgain() {
    if (const absl::Status done = graph_->Run(); !done.ok()) std::cerr << done << "\n";
  }

  void Factorize(factorization::Problem& problem) {
    if (handles_.empty()) {
      for (const Tile& tile : problem.tiles()) handles_.push_back(runtime_->Register("tile", tile));
      for (std::size_t i = 0; i < problem.bodies().size(); ++i) {
        const std::string_view name = i < factorization::kCopy ? cholesky::kNames[i] : "copy";
        kernels_.push_back(Kernel(std::string(name)).OnHost(problem.bodies()[i]));
      }
    }
    const absl::Status done = runtime_->Run([&](Runtime& runtime) {
      problem.ForEachStep([&](const factorization::Step& step) {
        std::array<Access, 3> accesses;
        for (std::size_t i = 0; i < step.count; ++i) {
          accesses[i] = {handles_[step.blocks[i]], i + 1 < step.count ? Mode::kIn : Mode::kInOut};
        }
        runtime.Submit(kernels_[step.body], std::span(accesses).first(step.count));
      });
      return runtime.Wait();
    });
    if (!done.ok()) std::cerr << done << "\n";
  }

 private:
  template <typename To>
  void SubmitAll(To& to, const dags::Dag& dag, dags::Work work) {
    const Kernel& kernel = work == dags::Work::kMix ? mix_ : nothing_;
    for (const dags::Task& task : dag.tasks) {
      std::array<Access, 3> accesses;
      for (std::size_t i = 0; i < task.count; ++i) {
        accesses[i] = {handles_[task.blocks[i]], i + 1 < task.count ? Mode::kIn : Mode::kInOut};
      }
      to.Submit(kernel, std::span(accesses).first(task.count));
    }
  }

  const Kernel nothing_ = Kernel("nothing").OnHost([](auto, auto) { return absl::OkStatus(); });
  const Kernel mix_ = Kernel("mix").OnHost([](std::span<const Tile> tiles, auto) {
    if (tiles.empty()) return absl::OkStatus();
    for (const Tile& tile : tiles.first(tiles.size() - 1)) {
      dags::Mix(CellOf(tiles.back()), CellOf(tile));
    }
    dags::Mix(CellOf(tiles.back()), 0);
    return absl::OkStatus();
  });
  const std::unique_ptr<Runtime> runtime_;
  std::vector<Handle> handles_;
  std::vector<Kernel> kernels_;  // by Step::body
  std::optional<taskrt::Graph> graph_;
};

}  // namespace

int main(int argc, char** argv) {
  dags::RegisterDags<Taskrt>();
  dags::RegisterAgain<Taskrt>();
  factorization::Register<Taskrt>();
  simulated::Register();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
