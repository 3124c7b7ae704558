#include "dsm/paging/evictor_thread.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "dsm/cache/page_fetcher.h"
#include "topo/affinity.h"
#include "topo/mutex.h"
#include "topo/pu_set.h"

namespace dsm {

Evictor::Evictor(int rank, Copies& copies, ReleaseProtocol& release, const Placement& placement)
    : rank_(rank),
      copies_(copies),
      release_(release),
      thread_([this, pus = placement.communication] {
        // Where the thread cannot be bound it works as well.
        if (!pus.empty()) (void)topo::SetAffinityMask(0, topo::PuSet(pus));
        Run();
      }) {}

Evictor::~Evictor() {
  copies_.frames().Stop();
  thread_.join();
}

void Evictor::Run() {
  while (copies_.frames().WaitForNeed()) {
    // Where every page with a frame is held by another thread, one of them is done soon.
    while (Evict() == PageCount(0) && !copies_.frames().is_stopping()) std::this_thread::yield();
  }
}

PageCount Evictor::Evict() {
  const topo::Lock lock(mutex_);
  const PageCount evicted = copies_.EvictClean();
  return evicted > PageCount(0) ? evicted : EvictWritten();
}

void Evictor::FreeFramesOf(PageRange pages) {
  {
    const topo::Lock lock(mutex_);
    copies_.frames().FreeAllOf(pages);
  }
  copies_.frames().NotifyFreed();
}

PageCount Evictor::EvictWritten() {
  const absl::StatusOr<PageCount> evicted = release_.EvictWritten();
  if (evicted.ok()) return *evicted;
  std::fprintf(stderr, "dsm: rank %d: what was written to a copy cannot be sent home: %s\n", rank_,
               std::string(evicted.status().message()).c_str());
  _exit(kPageIsGone);
}

}  // namespace dsm
