// A rank for faulty_test.sh, that does what its first argument says, and should not.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "dsm/mutex.h"
#include "dsm/space.h"

namespace {

// How a child ends that touches the byte: the signal, or minus the exit code.
int EndOfChildThatTouches(volatile std::byte* byte, bool writes) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // It must not go on for ever.
    if (writes) {
      *byte = std::byte{1};
    } else {
      (void)*byte;
    }
    _exit(1);
  }
  int status = 0;
  (void)waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

// Children that touch pages of all kinds end as by any wild pointer, and the parent goes on.
int Fork(dsm::Space& space, std::byte* foreign, const std::string& task) {
  const auto mine = space.Allocate({{100'000}, 1}, dsm::OnRank{space.rank()});
  if (!mine.ok()) return 3;
  volatile std::byte* const home = mine->data();
  home[0] = std::byte{7};
  volatile std::byte* const copies = foreign;
  (void)copies[0];  // It is here from now on; the others are not.
  int failed = 0;
  const auto expect = [&](const char* what, volatile std::byte* byte) {
    for (const bool writes : {false, true}) {
      const int end = EndOfChildThatTouches(byte, writes);
      if (end == SIGSEGV) continue;
      std::fprintf(stderr, "a child that %s %s ends with %d\n", writes ? "writes" : "reads", what,
                   end);
      failed = 3;
    }
  };
  expect("a page at home", home);
  expect("a page that is here", copies);
  expect("a page that is not here", copies + 50'000);
  // What the parent allocates after the fork is nothing to the child either.
  int to_child[2];
  if (pipe(to_child) != 0) return 3;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::byte* later = nullptr;
    if (read(to_child[0], &later, sizeof later) != sizeof later) _exit(2);
    *static_cast<volatile std::byte*>(later) = std::byte{1};
    _exit(1);
  }
  const auto later = space.Allocate({{100'000}, 1}, dsm::OnRank{space.rank()});
  if (!later.ok()) return 3;
  std::byte* const at = later->data();
  if (write(to_child[1], &at, sizeof at) != sizeof at) return 3;
  int status = 0;
  (void)waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) {
    std::fprintf(stderr, "a child that writes what was allocated later ends with %d\n", status);
    failed = 3;
  }
  // The parent has all of it, and what comes now.
  copies[60'000] = std::byte{5};
  at[0] = std::byte{6};
  if (home[0] != std::byte{7} || copies[60'000] != std::byte{5} || at[0] != std::byte{6} ||
      !space.Barrier(dsm::Consistency::kFlush).ok()) {
    std::fprintf(stderr, "the parent does not go on\n");
    failed = 3;
  }
  if (failed == 0) std::printf("rank %d: %s: all children ended\n", space.rank(), task.c_str());
  return failed;
}

// The last rank is killed with the lock, or as its home: the others learn of it, each in time.
int LoseLock(dsm::Space& space, const std::string& task) {
  const int last = space.ranks() - 1;
  const bool is_home = task == "lost-lock-home";
  auto mutex = dsm::Mutex::Make(space, is_home ? last : 0);
  const auto words = space.Allocate({{1}, 8}, dsm::OnRank{0});
  if (!mutex.ok() || !words.ok()) return 3;
  auto* const word = reinterpret_cast<std::uint64_t*>(words->data());
  if (space.rank() == last) {
    if (!mutex->Lock().ok()) return 3;
    if (!space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kSwap, 1).ok()) return 3;
    usleep(20'000);  // Some of the others wait by now.
    raise(SIGKILL);
  }
  while (space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 0).value_or(1) == 0) usleep(100);
  const absl::StatusOr<dsm::Locked> locked = mutex->Lock();
  if (is_home) {
    std::fprintf(stderr, "rank %d: %s\n", space.rank(), locked.status().ToString().c_str());
    _exit(locked.ok() ? 3 : 4);
  }
  if (!locked.ok()) {
    std::fprintf(stderr, "rank %d: %s\n", space.rank(), locked.status().ToString().c_str());
    _exit(3);
  }
  std::fprintf(stderr, "rank %d has the lock, and the dead holder is %d\n", space.rank(),
               locked->dead_holder);
  if (!mutex->Unlock().ok()) _exit(3);
  // All stay until all have had the lock: rank 0 is the queue's home, and who ends early may be
  // named as a dead holder.
  const std::uint64_t all_had_it = static_cast<std::uint64_t>(space.ranks());
  (void)space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 1);
  while (space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 0).value_or(all_had_it) <
         all_had_it) {
    usleep(100);
  }
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  dsm::SpaceOptions options;
  for (const dsm::EngineKind kind :
       {dsm::EngineKind::kUserfaultfd, dsm::EngineKind::kSegv, dsm::EngineKind::kServer}) {
    if (argc > 2 && argv[2] == dsm::NameOf(kind)) options.engine = kind;
  }
  const char* const rank = std::getenv("PMI_RANK");
  const bool is_first = rank == nullptr || std::string(rank) == "0";
  if (task == "page-size" && is_first) options.page_bytes = 65536;
  if (task == "odd-page") options.page_bytes = 5000;
  if (task == "waiter") options.waiter = [] { return false; };
  if (task == "taken") options.base = reinterpret_cast<std::uintptr_t>(&main) / 4096 * 4096;
  auto space = dsm::Space::Join(options);
  if (!space.ok()) {
    std::fprintf(stderr, "%s\n", std::string(space.status().message()).c_str());
    return 2;
  }
  const auto memory = (*space)->Allocate({{100'000}, 1}, dsm::OnRank{(*space)->ranks() - 1});
  if (!memory.ok()) {  // The last may be gone already.
    std::fprintf(stderr, "rank %d: %s\n", (*space)->rank(), memory.status().ToString().c_str());
    _exit(4);
  }
  volatile std::byte* const bytes = memory->data();
  if (task == "wild") bytes[(*space)->options().bytes / 2] = std::byte{1};
  if (task == "null") *reinterpret_cast<volatile int*>(std::strtoul("16", nullptr, 10)) = 1;
  if (task.starts_with("lost-lock")) return LoseLock(**space, task);
  if (task.starts_with("fork")) return Fork(**space, memory->data(), task);
  if (task == "lost-home") {
    (void)(*space)->Barrier(
        dsm::Consistency::kFlush);  // The last may be gone before we are through.
    if ((*space)->rank() == (*space)->ranks() - 1) raise(SIGKILL);
    std::byte seen{};
    // Until it is noticed pages of the lost are there, or not.
    for (std::size_t i = 0; true; i = (i + 4096) % 100'000) {
      seen |= bytes[i];
      if (i == 0) usleep(1000);
      if (i > 90'000) (void)(*space)->Barrier(dsm::Consistency::kDiscard);
    }
  }
  if (task == "lost-barrier") {
    if ((*space)->rank() == (*space)->ranks() - 1) raise(SIGKILL);
    const absl::Status met = (*space)->Barrier(dsm::Consistency::kFlush);
    std::fprintf(stderr, "rank %d: %s\n", (*space)->rank(), met.ToString().c_str());
    _exit(met.ok() ? 0 : 4);
  }
  return 0;
}
