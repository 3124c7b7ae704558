// oneTBB's flow graph, made and run, or run again: who comes after whom is found by taskrt's rule,
// as TBB has none.
#include <benchmark/benchmark.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <deque>
#include <optional>
#include <vector>

#include "taskrt/benches/dags.h"
#include "taskrt/task/block_order.h"

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

class Tbb {
 public:
  static constexpr const char* kName = "tbb";
  static constexpr int kIterationsDividedBy = 2;

  Tbb(int workers, std::span<std::uint64_t> cells)
      : control_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)),
        arena_(workers),
        cells_(cells) {}

  void Run(const dags::Dag& dag, dags::Work work) {
    Record(dag, work);
    RunAgain();
  }

  void Record(const dags::Dag& dag, dags::Work work) {
    arena_.execute([&] { made_.emplace(cells_, dag, work); });
  }
  void RunAgain() {
    arena_.execute([&] {
      for (Node* const node : made_->first) node->try_put({});
      made_->graph.wait_for_all();
    });
  }

 private:
  struct Made {
    Made(std::span<std::uint64_t> cells, const dags::Dag& dag, dags::Work work) {
      std::vector<taskrt::BlockOrder<Node*>> orders(dag.blocks);
      for (const dags::Task& task : dag.tasks) {
        const dags::Task* const computed = work == dags::Work::kMix ? &task : nullptr;
        Node& node = nodes.emplace_back(graph, [cells, computed](const tbb::flow::continue_msg&) {
          if (computed != nullptr) dags::Mix(cells, *computed);
        });
        bool is_first = true;
        for (std::uint32_t i = 0; i < task.count; ++i) {
          const auto mode = i + 1 < task.count ? taskrt::Mode::kIn : taskrt::Mode::kInOut;
          orders[task.blocks[i]].Add(&node, mode, [&](Node* other) {
            tbb::flow::make_edge(*other, node);
            is_first = false;
          });
        }
        if (is_first) first.push_back(&node);
      }
    }
    tbb::flow::graph graph;
    std::deque<Node> nodes;
    std::vector<Node*> first;
  };

  tbb::global_control control_;
  tbb::task_arena arena_;
  std::span<std::uint64_t> cells_;
  std::optional<Made> made_;
};

}  // namespace

int main(int argc, char** argv) {
  dags::RegisterDags<Tbb>();
  dags::RegisterAgain<Tbb>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
