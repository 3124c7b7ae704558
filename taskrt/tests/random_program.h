// A random program: tasks in all modes on blocks that have gaps, prefetches, waits, graphs, blocks
// that move and end, tasks that wait and that submit tasks, tasks that fail and that are cancelled;
// beside them other threads that wait, and that have blocks of their own (random_neighbor.h). Each
// action is done by the runtime and, at once and in order, by a serial oracle on memory of its own;
// whenever the program may look at a block, both must have the same words.
//
// A program is a function of its seed. How its tasks are interleaved is not, on real workers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lwt/pool.h"
#include "taskrt/completion.h"
#include "taskrt/graph.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/random_blocks.h"
#include "taskrt/tests/random_setup.h"
#include "taskrt/tests/random_task.h"

namespace taskrt {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed);

  enum class End {
    kRight,
    kWrong,
    kDataLost,  // a device was lost and only it had a block: the program ends there
  };
  End Run();
  // Of what was wrong: a sentence, then the setup in words.
  const std::string& what() const { return what_; }

 private:
  // The first are the program's own; the children of each family use two of the others, whose
  // parents follow each other by its token.
  static constexpr std::size_t kFamilies = 2, kOwn = 10, kOfFamily = 3, kGraphs = 2;
  static constexpr std::size_t kBlocks = kOwn + kFamilies * kOfFamily;
  static constexpr std::size_t kTasks = 220;
  static constexpr std::size_t kMostOnDevices = 4;  // blocks of a task, where memory is short

  struct Block {
    RandomBlock memory;
    Handle handle;
    bool is_in_graph = false;  // so it does not end
    bool reduces = false;      // has a reduction
    std::string name;
  };
  struct GraphTask {
    Recipe recipe;
    std::vector<std::size_t> blocks;
  };
  struct ItsGraph {
    std::unique_ptr<Graph> graph;
    std::vector<GraphTask> tasks;
  };

  void Play();
  void PlayBesideOtherThreads();
  void Act();
  GraphTask DrawTask(std::span<const std::size_t> among, std::size_t most = kMostOnDevices);
  const Kernel& DrawKernel();
  std::vector<Access> AccessesOf(const GraphTask& task) const;
  void PerformAlone(const GraphTask& task);
  Completion Submit(const GraphTask& task, const Kernel& kernel, int priority);
  void SubmitSome();
  void SubmitFamily();
  void RunGraph();
  void WaitOnOne();
  void WaitForAll();
  void Move(std::size_t block);
  void End_(std::size_t block);
  void FailOne();
  void CancelSome();
  void Register(std::size_t block);
  // Is the program to go on? Else it has ended, by this status.
  bool GoesOn(const absl::Status& status, const char* where);
  // By the body of a task: it waits for tasks before it, of which `expected` is the value.
  void WaitInBody(std::size_t block, const std::vector<Word>& expected);
  void Compare(std::size_t block, const char* when);
  bool has_ended() const { return end_ != End::kRight; }

  Random random_;
  RandomSetup setup_;
  std::unique_ptr<lwt::Pool> shared_pool_;  // null: the runtime has one of its own
  std::unique_ptr<Runtime> runtime_;
  const Kernel on_host_, on_device_, on_both_, zero_, combine_, combine_on_host_;
  bool has_devices_ = false, all_devices_may_go_ = false;
  // In OS threads of their own: one waits for what all have submitted, one submits, too.
  bool others_play_ = false;
  std::array<Block, kBlocks> blocks_;
  std::array<ItsGraph, kGraphs> graphs_;
  std::deque<std::function<void()>> families_;
  std::size_t submitted_ = 0;
  End end_ = End::kRight;
  std::string what_;
  std::mutex bodies_mutex_;
  std::string wrong_in_body_;  // under bodies_mutex_
};

}  // namespace taskrt
