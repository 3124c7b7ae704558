// The options of a space.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "dsm/engine/engine.h"
#include "dsm/language.h"
#include "dsm/release/message_kinds.h"
#include "llcl/messenger.h"

namespace dsm {

// Of a message are two bytes for its handler, and the first handlers are the space's own.
inline constexpr std::size_t kMostHandlers = (std::size_t{1} << 16) - kOwnHandlers;

// A value; the same on all ranks but for engine, cache_bytes, readahead_pages, waiter and dumps.
struct SpaceOptions {
  std::uint64_t bytes = std::uint64_t{1} << 36;  // of address space; memory only where used
  std::uint64_t page_bytes = 4096;               // a multiple of the system's
  std::uintptr_t base = 0x2000'0000'0000;        // where it begins
  EngineKind engine = EngineKind::kAutomatic;
  // Of memory for copies of others' pages, 2 pages at least; zero: as many as are touched. A
  // full cache evicts those that came first. An instruction that needs more pages at once than the
  // other threads' instructions leave room for faults for ever.
  std::uint64_t cache_bytes = 0;
  // How many pages a read fault brings at most, besides the page that was touched: the pages behind
  // it that have the same home and are absent, in the same transfer. Less where the cache has no
  // room.
  std::uint64_t readahead_pages = 0;
  // Of memory for pages that are at home on a rank; zero: no bound.
  std::uint64_t home_bytes = 0;
  // Called by a thread that waits for a page, before it sleeps: a user-level scheduler's switch
  // (lwt::Yield), so that others run meanwhile. True: some did, and whether the page is there is
  // looked at again; false: there are none to run, as always in threads that are not of that
  // scheduler. In the handler of the fault, on the stack that it happened on; it may return on
  // another OS thread. Not with EngineKind::kServer. A scheduler that handles SIGSEGV or SIGBUS
  // itself does so before there is a space (lwt: from the first Pool on).
  bool (*waiter)() = nullptr;
  // How many threads the program runs on each rank: then those that communicate are bound to PUs
  // that they leave free (placement.h), and placement() says where they are best bound, so that
  // pages at home are touched first near the threads that use them. Zero: none is bound. The same
  // on all ranks.
  int threads = 0;
  // How long a rank may take to come to a barrier, or a home to answer, until that is an error.
  // That a rank is gone is known much sooner.
  std::chrono::milliseconds patience = std::chrono::minutes(10);
  // Finds bytes that two ranks have written between the same flushes, and says so on standard
  // error; costs a fault and a twin for each page that is written at home. The same on all ranks.
  bool finds_races = false;
  // A process that crashes writes the space's memory to its core, twice, as it is mapped twice, and
  // absent pages too, for which the system takes memory. Without it the core has all but the space.
  bool dumps = false;
  // The program's own handlers of messages, on the endpoint of the space (Space::endpoint); the
  // message for the one at `index` goes to Space::HandlerOf(index). As many on all ranks.
  //
  // A handler is called as llcl's handlers are (llcl/messenger.h): by threads that communicate and
  // by threads that wait, by several at once. It may be called before Join returns, when all ranks
  // have their part of the space, but not once the end of the space has begun: messages that come
  // then are dropped. It must not wait:
  //   - It touches memory at home on its rank only, and with EngineKind::kServer no memory of the
  //     space; else the program ends with a sentence, where the page is not here.
  //   - It calls no member of the space, of a Mutex or of a Heap that may wait: Allocate, Free,
  //     Barrier, Preload and the like, Acquire, Release, Atomic, Save, Restore, Lock, Unlock. They
  //     end the program with a sentence.
  //   - It takes no mutex of the program's under which other threads touch the space.
  // A thread of the program's does such work: the handler notifies it.
  std::vector<llcl::Handler> handlers = {};
};

// Can there be a space with these options? Errors: InvalidArgument with the field's name, its
// value, and the values that it may have.
absl::Status Check(const SpaceOptions& options);

}  // namespace dsm
