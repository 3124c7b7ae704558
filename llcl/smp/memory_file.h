// The memory of another process, of its program's own, by the file that the system has of it
// (/proc/PID/mem). The file is of that process's memory for good: once the process has ended it is
// empty, also where the process's number is another's by then.
//
// Whether this process may open it is the system's business (ptrace(2): the same user, Yama, a
// container's filter); llcl changes no such setting.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "llcl/executor/command.h"
#include "llcl/owned_fd.h"

namespace llcl {

// How another process finds out whether the file that it has opened is this process's, as a number
// of a process may be another's in another namespace: words of this process's own memory. A value
// in shared memory.
struct MemoryProof {
  std::uint64_t address = 0;  // of two words for each rank of the host, by position (neighbors.h)
  std::uint64_t value = 0;    // of the first of them; no other process has it in that place
};

// The owner's words. A resource.
class MemoryProofWords {
 public:
  MemoryProofWords(std::size_t ranks, std::uint64_t value);
  MemoryProof proof() const;

 private:
  const std::uint64_t value_;
  const std::unique_ptr<std::atomic<std::uint64_t>[]> words_;
};

// The file of `process`, which is proved to be that process's; none where the system does not allow
// this rank to read and write it. `mine`: this rank's position.
OwnedFd OpenMemoryFile(pid_t process, const MemoryProof& proof, std::size_t mine);

// How a copy ended.
enum class CopiedBy : std::uint8_t {
  kDone,
  kNotMapped,  // not all of the memory is there
  kEnded,      // the process has ended
};
// Copies `bytes` between `here` and the address there; `kind`: a read or a write. Protections there
// do not count: the system takes this process for a debugger.
CopiedBy CopyByFile(int file, CommandKind kind, std::byte* here, std::uint64_t there,
                    std::uint64_t bytes);

}  // namespace llcl
