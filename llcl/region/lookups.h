// Requests on regions that this rank has not used yet: before one goes to the network, its
// description of the region is compared with the owner's entry.
//
//   request --TryBegin--> looking --it matches--> posted --> (ended)
//                                 --it differs--> (kRefused)
//
// Each look is a command of its own, with the request's deadline. The entry that it found is kept
// (RegionTable::Learn), so each region is looked up once; one that never existed, each time.
//
// Threads: TryBegin by any, also by handlers of signals (endpoint.h): it takes no lock and
//   allocates no memory. Order: as executor.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "llcl/completion.h"
#include "llcl/executor/command.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/tags.h"
#include "llcl/region.h"
#include "llcl/region/region_table.h"
#include "topo/atomic.h"
#include "topo/mutex.h"

namespace llcl {

// A request to an executor. A value.
struct Request {
  Command command;
  Completion then, released;
  std::uint32_t most_ms = 0;  // 0: no limit
};

// A resource.
class Lookups {
 public:
  // `post`: hands a look to the executor. `go_on`: posts a request that matches, and must not
  // fail. `refuse`: ends one that does not. `table`: the known regions of a rank.
  using Post = std::function<Posted(const Request&)>;
  using GoOn = std::function<void(const Request&)>;
  using Refuse = std::function<void(const Request&)>;
  using Table = std::function<RegionTable&(Rank)>;
  Lookups(Tag most, Post post, GoOn go_on, Refuse refuse, Table table);
  Lookups(const Lookups&) = delete;
  Lookups& operator=(const Lookups&) = delete;

  // Looks up request.command.unknown, then does the request. kNullTag: too many are under way.
  [[nodiscard]] Posted TryBegin(const Request& request);

 private:
  struct Looking {
    Lookups* lookups = nullptr;
    Tag tag = kNullTag;
    Request request;
    RemoteRegion claimed;
    std::int64_t began_ms = 0;
    RegionTable::Entry found;
    // Counts two events, on different threads: the look has ended, and its memory is released.
    // The second frees the tag.
    topo::Atomic<std::uint32_t> events{0};
  };

  static void OnLooked(void* looking, Outcome outcome);
  static void OnReleased(void* looking, Outcome outcome);
  void Judge(const Looking& looking);
  void CountEvent(Looking& looking);

  const Post post_;
  const GoOn go_on_;
  const Refuse refuse_;
  const Table table_;
  BasicTags<topo::Atomic> free_;
  const std::unique_ptr<Looking[]> looking_;  // by tag
  topo::Mutex learning_;                      // held while a rank's table is changed
};

}  // namespace llcl
