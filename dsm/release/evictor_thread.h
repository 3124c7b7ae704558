// The thread that frees frames of copies when other threads wait for some.
#pragma once

#include <thread>

#include "dsm/cache/copies.h"
#include "dsm/layout/placement.h"
#include "dsm/release/release_protocol.h"

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

 private:
  void Run();
  PageCount EvictWritten();

  const int rank_;
  Copies& copies_;
  ReleaseProtocol& release_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace dsm
