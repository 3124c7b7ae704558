// A rank that saves two states, one after the other, and is killed or refused by the file system at
// a step of the second: usage: checkpoint_steps PATH (kill|refuse) RANK STEP, or checkpoint_steps
// PATH restore. Steps are the calls open, fsync, rename and unlink, counted from 1 on.
//
// Exit code: 0 where the memory is one of the two states, on all ranks the same; 10 where there are
// fewer steps.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "dsm/dsm.h"

namespace {

enum class Fault { kNone, kKill, kRefuse };
Fault fault = Fault::kNone;
int steps_left = 0;

// At each step: true where the file system is to refuse it.
bool IsRefused() {
  if (fault == Fault::kNone || --steps_left != 0) return false;
  if (fault == Fault::kKill) (void)raise(SIGKILL);
  errno = EIO;
  return true;
}

}  // namespace

// In place of the C library's.
extern "C" {
int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (IsRefused()) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, name, flags, mode));
}
int fsync(int fd) { return IsRefused() ? -1 : static_cast<int>(syscall(SYS_fsync, fd)); }
int rename(const char* from, const char* to) noexcept {
  return IsRefused() ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}
int unlink(const char* name) noexcept {
  return IsRefused() ? -1 : static_cast<int>(syscall(SYS_unlink, name));
}
}

namespace {

constexpr std::uint64_t kBytesEach = 300'000;

class Memory {
 public:
  explicit Memory(dsm::Space& space) : space_(space) {
    const auto ranks = static_cast<std::uint64_t>(space.ranks());
    const auto memory =
        space.Allocate({{kBytesEach * ranks}, 1}, dsm::Block{.count = space.ranks()});
    if (!memory.ok()) std::exit(2);
    bytes_ = {reinterpret_cast<unsigned char*>(memory->data()), memory->size()};
  }

  void Fill(unsigned state) {
    const std::size_t begin = kBytesEach * static_cast<std::size_t>(space_.rank());
    for (std::size_t i = begin; i < begin + kBytesEach; ++i) bytes_[i] = Of(i, state);
    if (!space_.Barrier(dsm::Consistency::kFlush).ok()) std::exit(2);
  }
  // 0: the memory is no state.
  unsigned State() const {
    for (const unsigned state : {1U, 2U}) {
      std::size_t i = 0;
      while (i < bytes_.size() && bytes_[i] == Of(i, state)) ++i;
      if (i == bytes_.size()) return state;
    }
    return 0;
  }

 private:
  static unsigned char Of(std::size_t i, unsigned state) {
    return static_cast<unsigned char>(i * 7 + state);
  }
  dsm::Space& space_;
  std::span<unsigned char> bytes_;
};

// `expected`: 0 for any state.
int Restore(dsm::Space& space, const Memory& memory, const std::string& path, unsigned expected) {
  const absl::Status restored = space.Restore(path);
  const unsigned state = memory.State();
  std::printf("rank %d: restored: %s; state %u\n", space.rank(), restored.ToString().c_str(),
              state);
  const bool is_good = restored.ok() && state != 0 && (expected == 0 || state == expected);
  if (!space.Barrier(dsm::Consistency::kFlush).ok()) return 2;
  return is_good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) return 2;
  const std::string path = argv[1], task = argv[2];
  auto space = dsm::Space::Join();
  if (!space.ok()) return std::puts(space.status().ToString().c_str()), 2;
  Memory memory(**space);
  if (task == "restore") return Restore(**space, memory, path, 0);
  memory.Fill(1);
  if (const absl::Status saved = (*space)->Save(path); !saved.ok()) {
    return std::puts(saved.ToString().c_str()), 2;
  }
  memory.Fill(2);
  const bool is_victim = (*space)->rank() == std::atoi(argv[3]);
  steps_left = std::atoi(argv[4]);
  if (is_victim) fault = task == "kill" ? Fault::kKill : Fault::kRefuse;
  const absl::Status saved = (*space)->Save(path);
  fault = Fault::kNone;
  const bool had_fewer = is_victim && steps_left > 0;
  memory.Fill(3);
  const int code = Restore(**space, memory, path, saved.ok() ? 2 : 1);
  return code != 0 ? code : had_fewer ? 10 : 0;
}
