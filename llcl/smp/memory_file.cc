#include "llcl/smp/memory_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace llcl {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

bool TransferWord(int file, CommandKind kind, std::uint64_t& word, std::uint64_t there) {
  return CopyByFile(file, kind, reinterpret_cast<std::byte*>(&word), there, kWord) ==
         CopiedBy::kDone;
}

}  // namespace

MemoryProofWords::MemoryProofWords(int ranks, std::uint64_t value)
    : value_(value), words_(new std::atomic<std::uint64_t>[2 * static_cast<std::size_t>(ranks)]) {
  for (int i = 0; i < 2 * ranks; ++i) words_[static_cast<std::size_t>(i)].store(value);
}

MemoryProof MemoryProofWords::proof() const {
  return {reinterpret_cast<std::uintptr_t>(words_.get()), value_};
}

OwnedFd OpenMemoryFile(pid_t process, const MemoryProof& proof, Rank mine) {
  const std::string path = "/proc/" + std::to_string(process) + "/mem";
  OwnedFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  const std::uint64_t first = proof.address + 2 * kWord * static_cast<std::uint64_t>(ToInt(mine));
  std::uint64_t found = 0, written = ~proof.value;
  // Nothing is written before the process is known to be the right one.
  const bool is_proved =
      file.get() >= 0 && TransferWord(file.get(), CommandKind::kRead, found, first) &&
      found == proof.value &&
      TransferWord(file.get(), CommandKind::kWrite, written, first + kWord) &&
      TransferWord(file.get(), CommandKind::kRead, found, first + kWord) && found == written;
  return is_proved ? std::move(file) : OwnedFd();
}

CopiedBy CopyByFile(int file, CommandKind kind, std::byte* here, std::uint64_t there,
                    std::uint64_t bytes) {
  while (bytes > 0) {
    const auto at = static_cast<off_t>(there);
    const ssize_t copied =
        kind == CommandKind::kRead ? pread(file, here, bytes, at) : pwrite(file, here, bytes, at);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return CopiedBy::kNotMapped;
    if (copied == 0) return CopiedBy::kEnded;
    here += copied;
    there += static_cast<std::uint64_t>(copied);
    bytes -= static_cast<std::uint64_t>(copied);
  }
  return CopiedBy::kDone;
}

}  // namespace llcl
