// A rank for launch_test.sh and launchers_test.sh: what it does is its first argument.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "llcl/launch/launch.h"

namespace {

int Fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 3;
}

// Different from each rank in each round, and of each size.
std::string BytesOf(int rank, int round) {
  std::string bytes;
  for (int i = 0; i < rank * 100 + round; ++i) bytes += static_cast<char>(i * 7 + rank);
  return bytes;
}

int Exchange(llcl::Launch& launch, int first_round) {
  for (int round = first_round; round < first_round + 3; ++round) {
    const auto all = launch.Allgather(BytesOf(ToInt(launch.rank()), round));
    if (!all.ok()) return Fail(all.status().ToString());
    if (static_cast<int>(all->size()) != launch.size()) return Fail("not all are there");
    for (int rank = 0; rank < launch.size(); ++rank) {
      if ((*all)[static_cast<std::size_t>(rank)] != BytesOf(rank, round)) {
        return Fail("other bytes than rank " + std::to_string(rank) + " gave");
      }
    }
  }
  std::printf("rank %d of %d\n", ToInt(launch.rank()), launch.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  const auto launch = llcl::FindLaunch();
  if (!launch.ok()) return Fail(launch.status().ToString());
  const bool is_last = ToInt((*launch)->rank()) == (*launch)->size() - 1;
  if (task == "exchange") return Exchange(**launch, 0);
  if (task == "exchange-much") return Exchange(**launch, 40000);
  // A rank that is still joining when another one ends reports that itself, and exits.
  if (task == "fail" || task == "die" || task == "stubborn") (void)(*launch)->Allgather("here");
  if (task == "fail") {
    if (is_last) _exit(7);
    pause();
  }
  if (task == "die") {
    if (is_last) raise(SIGKILL);
    pause();
  }
  if (task == "stubborn") {  // The others do not end when they are asked to.
    signal(SIGTERM, SIG_IGN);
    if (is_last) _exit(7);
    while (true) pause();
  }
  if (task == "abort") {
    if (is_last) (*launch)->Abort(9, "enough is enough");
    pause();
  }
  if (task == "abort-256") {
    if (is_last) (*launch)->Abort(256, "as if nothing were");
    pause();
  }
  if (task == "parent") {
    if (!is_last) pause();
    if (fork() == 0) {
      execlp("sleep", "sleep", argv[2], nullptr);
      _exit(1);
    }
    std::printf("rank %d left a child\n", ToInt((*launch)->rank()));
    std::fflush(stdout);
    _exit(7);
  }
  if (task == "leave") {  // One goes without a word, the others wait for it.
    if (is_last) _exit(0);
    return (*launch)->Allgather("x").ok() ? 0 : 3;
  }
  return Fail("unknown task '" + task + "'");
}
