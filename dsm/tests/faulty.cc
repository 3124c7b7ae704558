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
  const auto words = space.Allocate({{2}, 8}, dsm::OnRank{0});
  if (!mutex.ok() || !words.ok()) return 3;
  auto* const word = reinterpret_cast<std::uint64_t*>(words->data());
  std::uint64_t* const askers = word + 1;
  if (space.rank() == last) {
    if (!mutex->Lock().ok()) return 3;
    if (!space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kSwap, 1).ok()) return 3;
    // The others wait by now, or their requests are on their way.
    const auto others = static_cast<std::uint64_t>(last);
    while (space.Atomic<std::uint64_t>(askers, llcl::AtomicOp::kAdd, 0).value_or(others) < others) {
      usleep(100);
    }
    raise(SIGKILL);
  }
  while (space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 0).value_or(1) == 0) usleep(100);
  (void)space.Atomic<std::uint64_t>(askers, llcl::AtomicOp::kAdd, 1);
  const absl::StatusOr<dsm::Locked> locked = mutex->Lock();
  if (is_home) {
    std::fprintf(stderr, "rank %d: %s\n", space.rank(), locked.status().ToString().c_str());
    _exit(locked.ok() ? 3 : 4);
  }
  if (!locked.ok()) {
    std::fprintf(stderr, "rank %d: %s\n", space.rank(), locked.status().ToString().c_str());
    _exit(3);
  }
  std::fprintf(stderr, "rank %d has the lock, left inconsistent by %d\n", space.rank(),
               locked->left_inconsistent_by);
  if (!mutex->Unlock().ok()) _exit(3);
  // Each rank stays until all have had the lock: rank 0 is the home of its queue, and a rank that
  // ends just after its unlock may be named as the one that left the lock inconsistent.
  const std::uint64_t all_had_it = static_cast<std::uint64_t>(space.ranks());
  (void)space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 1);
  while (space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 0).value_or(all_had_it) <
         all_had_it) {
    usleep(100);
  }
  _exit(0);
}

// What the ranks of the two that follow share: memory of rank 1, which is killed, and of rank 2,
// and how far they have come.
struct Scene {
  dsm::Space& space;
  dsm::Mutex mutex;
  volatile std::byte *lost, *living;
  std::uint64_t* step;

  std::uint64_t reached() const {
    return space.Atomic<std::uint64_t>(step, llcl::AtomicOp::kAdd, 0).value_or(100);
  }
  void Await(std::uint64_t wanted) const {
    while (reached() < wanted) usleep(100);
  }
  void Reach() const { (void)space.Atomic<std::uint64_t>(step, llcl::AtomicOp::kAdd, 1); }
  void DieAt(std::uint64_t wanted) const {
    Await(wanted);
    raise(SIGKILL);
  }
  void Require(bool holds, const char* what) const {
    if (holds) return;
    std::fprintf(stderr, "rank %d: not so: %s\n", space.rank(), what);
    _exit(3);
  }
  // The next that locks.
  void RequireLeftBy(int rank, const char* what) {
    const auto locked = mutex.Lock();
    Require(locked.ok() && locked->left_inconsistent_by == rank, what);
  }
};

Scene MakeScene(dsm::Space& space) {
  auto mutex = dsm::Mutex::Make(space, 0);
  const auto lost = space.Allocate({{8192}, 1}, dsm::OnRank{1});
  const auto living = space.Allocate({{4096}, 1}, dsm::OnRank{2});
  const auto step = space.Allocate({{1}, 8}, dsm::OnRank{0});
  if (!mutex.ok() || !lost.ok() || !living.ok() || !step.ok()) _exit(3);
  return {space, *std::move(mutex), lost->data(), living->data(),
          reinterpret_cast<std::uint64_t*>(step->data())};
}

// Rank 0 has changes under a lock to rank 1, which is killed, and to rank 2.
void LoseChanges(Scene scene) {
  if (scene.space.rank() == 1) scene.DieAt(1);
  if (scene.space.rank() == 0) {
    scene.Require(scene.mutex.Lock().ok(), "the lock is free");
    for (volatile std::byte* const byte : {scene.lost, scene.lost + 4096, scene.living}) {
      *byte = std::byte{1};
    }
    scene.Reach();
    while (!scene.space.IsGone(1)) usleep(100);
    scene.Require(absl::IsUnavailable(scene.mutex.Unlock()),
                  "what a lost rank was home of is lost");
    scene.Reach();
    scene.Await(3);
    // Neither the lost changes nor their acknowledgments come up again.
    scene.RequireLeftBy(-1, "rank 2 left it consistent");
    scene.living[1] = std::byte{1};
    scene.Require(scene.mutex.Unlock().ok(), "all that is to be sent gets home");
    scene.Reach();
    scene.Await(5);
    return;
  }
  scene.Await(2);
  scene.RequireLeftBy(0, "rank 0's changes did not all get home");
  scene.Require(scene.living[0] == std::byte{1}, "what went to a living home is there");
  scene.Require(scene.mutex.Unlock().ok(), "there is nothing to send");
  scene.Reach();
  scene.Await(4);
  scene.RequireLeftBy(-1, "rank 0 left it consistent");
  scene.Require(scene.living[1] == std::byte{1}, "what was written under the lock is seen");
  scene.Require(scene.mutex.Unlock().ok(), "there is nothing to send");
  scene.Reach();
}

// Rank 1 is killed with the lock. Rank 0, which gets it, cannot have it, as it has changes of its
// own to rank 1: rank 2 is to learn of the death.
void LoseNews(Scene scene) {
  if (scene.space.rank() == 1) {
    scene.Require(scene.mutex.Lock().ok(), "the lock is free");
    scene.Reach();
    scene.DieAt(2);
  }
  if (scene.space.rank() == 0) {
    scene.Await(1);
    scene.lost[0] = std::byte{1};
    scene.Reach();
    scene.Require(absl::IsUnavailable(scene.mutex.Lock().status()), "changes of its own are lost");
    scene.Reach();
    scene.Await(4);
    scene.RequireLeftBy(-1, "rank 2 was notified");
    scene.Require(scene.mutex.Unlock().ok(), "there is nothing to send");
    scene.Reach();
    return;
  }
  scene.Await(3);
  scene.RequireLeftBy(1, "rank 1 was killed with the lock");
  scene.Require(scene.mutex.Unlock().ok(), "there is nothing to send");
  scene.Reach();
  scene.Await(5);
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
  if (task == "lost-changes" || task == "lost-news") {
    task == "lost-news" ? LoseNews(MakeScene(**space)) : LoseChanges(MakeScene(**space));
    std::fprintf(stderr, "rank %d: all is as it must be\n", (*space)->rank());
    _exit(0);
  }
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
