// The memory of Allocate: ranges of chunks of shared memory, each of which another rank maps once.
//
//   free --Take--> a region's --Retire--> retired --no thread changes it--> free
//
// A range that a region has given up takes no memory, but a thread of another rank may be changing
// it still, as the thread saw the region before it went. So it is retired until no mark names the
// region (region/marks.h), and only its addresses are out of use until then.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/door.h"
#include "topo/free_ranges.h"

namespace llcl {

// A resource. `door`, at which chunks are offered, outlives it.
class SmpArena {
 public:
  // `marked`: the keys that marks have, of the threads of all ranks. `barrier`: a memory barrier
  // for all ranks; false where the system offers none (memory_barrier.h).
  using Marked = std::function<std::vector<std::uint64_t>()>;
  using Barrier = std::function<bool()>;
  SmpArena(SmpDoor& door, Marked marked, Barrier barrier)
      : door_(door), marked_(std::move(marked)), barrier_(std::move(barrier)) {}

  // Zeros, at the address `range.begin` of the conduit. Errors: ResourceExhausted.
  struct Taken {
    topo::AddressRange range;
    std::byte* memory = nullptr;
  };
  absl::StatusOr<Taken> Take(std::uint64_t bytes);

  // The region with that key, which the table has no more, gives up its range.
  void Retire(topo::AddressRange range, std::uint64_t key);

  std::size_t chunks() const { return chunks_.size(); }

 private:
  struct Chunk {
    OwnedFd fd;
    Mapped memory;
  };
  struct Retired {
    topo::AddressRange range;
    std::uint64_t key = 0;
    std::int64_t since_ms = 0;
  };

  absl::Status Grow(std::uint64_t bytes);
  absl::Status AddChunk(std::uint64_t bytes);
  // Frees the retired ranges that no thread changes.
  void FreeRetired();
  void MakeHole(topo::AddressRange range);
  std::byte* MemoryAt(std::uint64_t address) const;

  SmpDoor& door_;
  const Marked marked_;
  const Barrier barrier_;
  std::vector<Chunk> chunks_;  // by number
  std::uint64_t bytes_ = 0;    // of all chunks
  topo::FreeRanges free_;
  std::vector<Retired> retired_;
  std::size_t most_retired_ = 0;  // With more they are looked at.
};

}  // namespace llcl
