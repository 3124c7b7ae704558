// The thread that frees frames of copies when other threads wait for some.
#pragma once

#include <thread>

#include "dsm/cache/copies.h"
#include "dsm/layout/pages.h"
#include "dsm/layout/placement.h"
#include "dsm/release/release_protocol.h"
#include "dsm/threads/lock_order.h"

namespace dsm {

// A resource: the thread, from its construction to its end. Its parts outlive it. Where changes
// that must be sent before a frame is free are lost, it ends the process with exit code
// kPageIsGone.
class Evictor {
 public:
  // The thread is bound to the placement's PUs for communication, if there are any.
  Evictor(int rank, Copies& copies, ReleaseProtocol& release, const Placement& placement);
  ~Evictor();
  Evictor(const Evictor&) = delete;
  Evictor& operator=(const Evictor&) = delete;

  // These pages, which are absent and which no thread uses, have no frames any more.
  void FreeFramesOf(PageRange pages);

 private:
  void Run();
  PageCount Evict();
  PageCount EvictWritten();

  const int rank_;
  Copies& copies_;
  ReleaseProtocol& release_;
  OrderedMutex<LockLevel::kEvicting> mutex_;  // held while pages are being evicted
  std::thread thread_;                        // the last: it uses the others
};

}  // namespace dsm
