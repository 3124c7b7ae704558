// CUDA's words for the host's compiler, so that kernels are tested without a GPU. The threads of a
// thread block are OS threads of which one runs at a time, each up to the next barrier, and thread
// blocks come one after the other: a kernel that lacks a barrier reads what is not there yet, or no
// more, in one of the two orders.
//
// Threads: one launch at a time.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "taskrt/tests/fake_cuda.h"

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads)

namespace taskrt::on_host {

enum class Order { kForward, kBackward };

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
inline thread_local Index threadIdx, blockIdx, blockDim, gridDim;  // NOLINT: CUDA's names

// A resource: whose turn it is, of those threads.
class Turns {
 public:
  Turns(unsigned threads, unsigned blocks) : turns_(threads), barriers_(blocks, kUnknown) {
    for (auto& turn : turns_) turn = std::make_unique<std::counting_semaphore<>>(0);
    turns_.front()->release();
  }
  void Begin(unsigned thread) { turns_[thread]->acquire(); }
  void Barrier(unsigned thread) {
    End(thread);
    Begin(thread);
  }
  void End(unsigned thread) { turns_[(thread + 1) % turns_.size()]->release(); }
  // On a GPU, barriers that not all threads come to hang or do anything.
  void CheckBarriers(unsigned block, int count) {
    if (barriers_[block] == kUnknown) barriers_[block] = count;
    if (barriers_[block] == count) return;
    std::fprintf(stderr, "a barrier is not come to by all threads\n");
    std::abort();
  }

 private:
  static constexpr int kUnknown = -1;
  std::vector<std::unique_ptr<std::counting_semaphore<>>> turns_;
  std::vector<int> barriers_;  // of each block
};
inline Turns* turns = nullptr;
inline thread_local unsigned own_turn = 0;
inline thread_local int own_barriers = 0;

inline void __syncthreads() {  // NOLINT: CUDA's name
  ++own_barriers;
  turns->Barrier(own_turn);
}

// `kernel()` is called in each thread. Blocks have up to two dimensions, as grids.
template <typename Kernel>
void Launch(const FakeLaunch& launch, Order order, Kernel kernel) {
  const auto [grid_x, grid_y, grid_z] = launch.grid;
  const auto [block_x, block_y, block_z] = launch.block;
  const unsigned threads = block_x * block_y, blocks = grid_x * grid_y;
  Turns of_this(threads, blocks);
  turns = &of_this;
  const auto run = [&, block_x = block_x, block_y = block_y, grid_x = grid_x,
                    grid_y = grid_y](unsigned turn) {
    const unsigned thread = order == Order::kForward ? turn : threads - 1 - turn;
    own_turn = turn;
    threadIdx = {thread % block_x, thread / block_x};
    blockDim = {block_x, block_y, 1};
    gridDim = {grid_x, grid_y, 1};
    of_this.Begin(turn);
    for (unsigned block = 0; block < blocks; ++block) {
      blockIdx = {block % grid_x, block / grid_x};
      own_barriers = 0;
      kernel();
      of_this.CheckBarriers(block, own_barriers);
      of_this.Barrier(turn);
    }
    of_this.End(turn);
  };
  std::vector<std::jthread> running;
  for (unsigned turn = 0; turn < threads; ++turn) running.emplace_back(run, turn);
}

}  // namespace taskrt::on_host
