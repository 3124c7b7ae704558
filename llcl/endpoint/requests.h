// Requests on the memory of other ranks: each is checked, gets its addresses, and is done in place
// or posted to an executor.
//
//   TryRead, TryWrite, TryAtomic --Prepare--> command --Post--> done in place (conduit.h)
//                                                     --------> executor
//                                                     --------> looked up first (lookups.h)
//
// Threads: any, all members, at the same time. Signals: as endpoint.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/conduit.h"
#include "llcl/endpoint/executors.h"
#include "llcl/endpoint/params.h"
#include "llcl/endpoint/trace.h"
#include "llcl/executor/command.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/retries.h"
#include "llcl/region.h"
#include "llcl/region/lookups.h"
#include "llcl/region/region_table.h"

namespace llcl {

// A resource. What it is made of outlives it.
class Requests {
 public:
  // `timeout`: of requests that name none.
  Requests(Conduit& conduit, Executors& executors, Retries& retries, Timeout timeout,
           Trace::Function trace);
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  [[nodiscard]] Posted TryRead(const ReadParams& params);
  [[nodiscard]] Posted TryWrite(const WriteParams& params);
  template <AtomicWord T>
  [[nodiscard]] Posted TryAtomic(const AtomicParams<T>& params) {
    Command command = CommandOf(params);
    return TryPost(command, params.target, params.fetch_to ? &*params.fetch_to : nullptr,
                   params.then, params.timeout);
  }

  // kPosted: `rank` is one of the job, and not known to be gone.
  Posted CheckPeer(Rank rank) const;
  // Fills in the addresses, or returns why they are refused. `here` is null where the command has
  // no memory of this rank.
  Posted Prepare(Command& command, const RemoteAddress& there, const LocalAddress* here);
  // Posts a command that has its addresses. `released`: executor.h.
  [[nodiscard]] Posted Post(const Command& command, Completion then, Timeout timeout,
                            Completion released = {});
  // Post, now or as soon as there is room.
  void PostSurely(const Command& command, Completion then, Timeout timeout, Completion released);

  // From here on requests return kClosing.
  void Abort() { aborted_.store(true, std::memory_order_relaxed); }

 private:
  Posted TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                 Completion then, Timeout timeout);
  Posted PostTraced(const Command& command, Completion then, Timeout timeout, Completion released);
  Posted PostUntraced(const Command& command, Completion then, Timeout timeout,
                      Completion released);
  Posted PostUnknown(const Request& request);
  Posted PostKnown(const Request& request);
  // Now, or as soon as there is room.
  void Surely(std::function<Posted()> request, Completion then, Completion released);

  Conduit& conduit_;
  Executors& executors_;
  Retries& retries_;
  const RegionTable& own_regions_;     // of conduit_
  std::vector<RegionTable*> regions_;  // conduit_'s RegionsOf, by rank
  const Timeout timeout_;
  const Trace trace_;
  std::unique_ptr<Lookups> lookups_;  // where the conduit learns regions
  std::atomic<bool> aborted_{false};
};

}  // namespace llcl
