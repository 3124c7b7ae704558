// StarPU, with its default scheduler.
#include <benchmark/benchmark.h>
#include <starpu.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include "taskrt/benches/dags.h"
#include "taskrt/benches/factorization.h"

namespace {

// A resource.
class Session {
 public:
  explicit Session(int workers) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0) std::abort();
  }
  ~Session() { starpu_shutdown(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// Of a task that reads its blocks and changes the last.
starpu_codelet CodeletOf(int blocks, starpu_cpu_func_t run, const char* name) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = run;
  codelet.nbuffers = blocks;
  for (int i = 0; i < blocks; ++i) codelet.modes[i] = i + 1 < blocks ? STARPU_R : STARPU_RW;
  codelet.name = name;
  return codelet;
}

void Nothing(void**, void*) {}

std::uint64_t& CellOf(void* buffer) {
  return *reinterpret_cast<std::uint64_t*>(STARPU_VARIABLE_GET_PTR(buffer));
}
template <int kBlocks>
void MixBlocks(void** buffers, void*) {
  if constexpr (kBlocks > 0) {
    for (int i = 0; i + 1 < kBlocks; ++i) {
      dags::Mix(CellOf(buffers[kBlocks - 1]), CellOf(buffers[i]));
    }
    dags::Mix(CellOf(buffers[kBlocks - 1]), 0);
  }
}

void RunStep(void**, void* step) { static_cast<const factorization::Step*>(step)->Run(); }

class StarPu {
 public:
  static constexpr const char* kName = "starpu";
  static constexpr int kIterationsDividedBy = 5;

  explicit StarPu(int workers) : session_(workers) {}
  StarPu(int workers, std::span<std::uint64_t> cells) : StarPu(workers) {
    for (std::uint64_t& cell : cells) Register(&cell, sizeof(cell));
  }
  ~StarPu() {
    for (const starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }

  void Run(const dags::Dag& dag, dags::Work work) {
    starpu_codelet* const codelets = work == dags::Work::kMix ? mix_ : nothing_;
    for (const dags::Task& task : dag.tasks) {
      starpu_task* const made = starpu_task_create();
      made->cl = &codelets[task.count];
      for (std::uint32_t i = 0; i < task.count; ++i) made->handles[i] = handles_[task.blocks[i]];
      if (starpu_task_submit(made) != 0) std::abort();
    }
    starpu_task_wait_for_all();
  }

  // Its handles name the tiles; the kernels get them as all contestants' do.
  void Factorize(factorization::Problem& problem) {
    if (handles_.empty()) {
      for (const taskrt::Tile& tile : problem.tiles()) Register(tile.data, tile.row_bytes);
      problem.ForEachStep([&](const factorization::Step& step) { steps_.push_back(step); });
    }
    for (factorization::Step& step : steps_) {
      starpu_task* const made = starpu_task_create();
      made->cl = &steps_of_[step.count];
      made->cl_arg = &step;
      made->cl_arg_size = sizeof(step);
      for (std::size_t i = 0; i < step.count; ++i) made->handles[i] = handles_[step.blocks[i]];
      if (starpu_task_submit(made) != 0) std::abort();
    }
    starpu_task_wait_for_all();
  }

 private:
  void Register(void* data, std::size_t bytes) {
    starpu_variable_data_register(&handles_.emplace_back(), STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(data), bytes);
  }

  Session session_;
  std::vector<starpu_data_handle_t> handles_;
  std::vector<factorization::Step> steps_;
  starpu_codelet nothing_[4] = {CodeletOf(0, Nothing, "nothing"), CodeletOf(1, Nothing, "nothing"),
                                CodeletOf(2, Nothing, "nothing"), CodeletOf(3, Nothing, "nothing")};
  starpu_codelet mix_[4] = {CodeletOf(0, MixBlocks<0>, "mix"), CodeletOf(1, MixBlocks<1>, "mix"),
                            CodeletOf(2, MixBlocks<2>, "mix"), CodeletOf(3, MixBlocks<3>, "mix")};
  starpu_codelet steps_of_[4] = {CodeletOf(0, RunStep, "step"), CodeletOf(1, RunStep, "step"),
                                 CodeletOf(2, RunStep, "step"), CodeletOf(3, RunStep, "step")};
};

}  // namespace

int main(int argc, char** argv) {
  dags::RegisterDags<StarPu>();
  factorization::Register<StarPu>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
