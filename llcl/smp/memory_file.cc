#include "llcl/smp/memory_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace llcl {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

ssize_t CopySome(int file, CommandKind kind, std::byte* here, std::uint64_t bytes, off_t there) {
  return kind == CommandKind::kRead ? pread(file, here, bytes, there)
                                    : pwrite(file, here, bytes, there);
}

// As CopySome, of memory here that a handler of signals brings when this thread touches it: the
// system does not touch it for a call's sake.
ssize_t CopySomeByHand(int file, CommandKind kind, std::byte* here, std::uint64_t bytes,
                       off_t there) {
  std::array<std::byte, 4096> between;
  bytes = std::min<std::uint64_t>(bytes, between.size());
  if (kind == CommandKind::kWrite) std::copy_n(here, bytes, between.begin());
  const ssize_t copied = CopySome(file, kind, between.data(), bytes, there);
  if (kind == CommandKind::kRead && copied > 0) std::copy_n(between.begin(), copied, here);
  return copied;
}

bool TransferWord(int file, CommandKind kind, std::uint64_t& word, std::uint64_t there) {
  return CopyByFile(file, kind, reinterpret_cast<std::byte*>(&word), there, kWord) ==
         CopiedBy::kDone;
}

}  // namespace

MemoryProofWords::MemoryProofWords(std::size_t ranks, std::uint64_t value)
    : value_(value), words_(new std::atomic<std::uint64_t>[2 * ranks]) {
  for (std::size_t i = 0; i < 2 * ranks; ++i) words_[i].store(value);
}

MemoryProof MemoryProofWords::proof() const {
  return {reinterpret_cast<std::uintptr_t>(words_.get()), value_};
}

OwnedFd OpenMemoryFile(pid_t process, const MemoryProof& proof, std::size_t mine) {
  const std::string path = "/proc/" + std::to_string(process) + "/mem";
  OwnedFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  const std::uint64_t first = proof.address + 2 * kWord * mine;
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
    ssize_t copied = CopySome(file, kind, here, bytes, at);
    // Of the memory here; that of the memory there is EIO.
    if (copied < 0 && errno == EFAULT) copied = CopySomeByHand(file, kind, here, bytes, at);
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
