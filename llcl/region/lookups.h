// Requests on regions that this rank has not used yet: before one goes to the network, what it
// says of its region is compared with what the owner says.
//
//   request --TryBegin--> looking --it is so--> posted --> (ended)
//                                 --it is not--> (kRefused)
//
// Each look is a command of its own, with the request's deadline. What it found stays known
// (RegionTable::Learn), so each region is looked up once; one that was never there each time.
//
// Threads: TryBegin by any, also by handlers of signals (endpoint.h): it takes no lock and no
//   memory. Order: as executor.h.
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

// What an executor is asked for. A value.
struct Request {
  Command command;
  Completion then, released;
  std::uint32_t most_ms = 0;  // 0: for ever
};

// A resource.
class Lookups {
 public:
  // `post`: hands a look to the executor; `go_on`: posts what was found to be right, surely.
  // `table`: what is known of a rank's regions.
  using Post = std::function<Posted(const Request&)>;
  using GoOn = std::function<void(const Request&)>;
  using Table = std::function<RegionTable&(Rank)>;
  Lookups(Tag most, Post post, GoOn go_on, Table table);
  Lookups(const Lookups&) = delete;
  Lookups& operator=(const Lookups&) = delete;

  // Looks up request.command.unknown, then does the request. kNoTag where too many do.
  [[nodiscard]] Posted TryBegin(const Request& request);

 private:
  struct Looking {
    Lookups* lookups = nullptr;
    Tag tag = kNoTag;
    Request request;
    RemoteRegion claimed;
    std::int64_t began_ms = 0;
    RegionTable::Entry found;
    // Of two, on different threads: that the look has ended, and that its memory is released.
    // The second gives the tag back.
    topo::Atomic<std::uint32_t> told{0};
  };

  static void OnLooked(void* looking, Outcome outcome);
  static void OnReleased(void* looking, Outcome outcome);
  void Judge(const Looking& looking);
  void Told(Looking& looking);

  const Post post_;
  const GoOn go_on_;
  const Table table_;
  BasicTags<topo::Atomic> free_;
  const std::unique_ptr<Looking[]> looking_;  // by tag
  topo::Mutex learning_;                      // held while a rank's table is changed
};

}  // namespace llcl
