// A second thread of a random program, with blocks of its own: it submits, waits, moves and ends
// them while the first thread goes on, and compares with a serial oracle of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/random_blocks.h"

namespace taskrt {

class RandomNeighbor {
 public:
  // Kernels of both: what tasks compute, and a reduction's.
  struct Kernels {
    const Kernel &task, &zero, &combine;
  };
  RandomNeighbor(Runtime& runtime, const Kernels& kernels, std::uint64_t seed)
      : random_(seed), runtime_(runtime), kernels_(kernels) {}

  // From an OS thread outside of the pool. A sentence: what was wrong.
  absl::Status Run();

 private:
  static constexpr std::size_t kBlocks = 3, kActions = 60;

  struct Block {
    RandomBlock memory;
    Handle handle;
    std::string name;
  };

  void Register(Block& block);
  void SubmitOne();
  absl::Status WaitOn(Block& block);
  absl::Status Move(Block& block);
  absl::Status End(Block& block);

  Random random_;
  Runtime& runtime_;
  const Kernels kernels_;
  std::array<Block, kBlocks> blocks_;
};

}  // namespace taskrt
