// A rank for faulty_test.sh, that does what its first argument says, and should not.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "dsm/space.h"

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
