// Requests on the memory of other ranks: each is checked, gets its addresses, and is done in place
// or posted to an executor.
//
//   TryRead, TryWrite, TryAtomic --InPlace--> done in place (mapped_regions.h)
//                                --Prepare--> command --Post--> done in place (conduit.h)
//                                                     --------> executor
//                                                     --------> looked up first (lookups.h)
//
// The first way is the short one, for a region that is mapped here: it makes no command and calls
// no virtual member. Whatever is not as usual goes the second way, which finds out why.
//
// Threads: any, all members, at the same time. Signals: as endpoint.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/conduit/conduit.h"
#include "llcl/conduit/executors.h"
#include "llcl/endpoint/departures.h"
#include "llcl/endpoint/params.h"
#include "llcl/endpoint/trace.h"
#include "llcl/executor/command.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/in_place.h"
#include "llcl/executor/operation_counters.h"
#include "llcl/messenger/retries.h"
#include "llcl/region.h"
#include "llcl/region/living_thread.h"
#include "llcl/region/lookups.h"
#include "llcl/region/mapped_regions.h"
#include "llcl/region/marks.h"
#include "llcl/region/region_table.h"

namespace llcl {

// A resource. The arguments of the constructor outlive it.
class Requests {
 public:
  // `timeout`: of requests that name none. `counters`: or null.
  Requests(Conduit& conduit, Executors& executors, const Departures& departures, Retries& retries,
           Timeout timeout, Trace::Function trace, OperationCounters* counters);
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  [[nodiscard]] Posted TryRead(const ReadParams& params);
  [[nodiscard]] Posted TryWrite(const WriteParams& params);
  template <AtomicWord T>
  [[nodiscard]] Posted TryAtomic(const AtomicParams<T>& params) {
    const LocalAddress* const fetch_to = params.fetch_to ? &*params.fetch_to : nullptr;
    const MappedRegions::Found word = Change(
        params.target, sizeof(T), [&](std::byte * there) __attribute__((always_inline)) {
          if (!IsWord<T>(there, sizeof(T)) || !Exists(TypeOf<T>(), params.op)) return false;
          if (fetch_to != nullptr && !IsLocal(*fetch_to, sizeof(T))) return false;
          const std::uint64_t old =
              Apply<T>(params.op, there, ToBits(params.operand), ToBits(params.expected));
          if (fetch_to != nullptr) std::memcpy(fetch_to->data(), &old, sizeof(T));
          return true;
        });
    if (word.memory == nullptr) return PostAtomic(params);
    return EndInPlace(word, params.target, params.then, params.notify);
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
  void Abort() {
    ranks_in_place_.store(0, std::memory_order_relaxed);
    aborted_.store(true, std::memory_order_relaxed);
  }

 private:
  // The rank's regions as they are mapped here; null where requests are not done in place.
  const MappedRegions* InPlace(Rank rank) const {
    // As unsigned: none is below zero.
    const auto peer = static_cast<std::uint32_t>(ToInt(rank));
    return peer < ranks_in_place_.load(std::memory_order_relaxed) ? mapped_[peer] : nullptr;
  }
  // Calls change(memory) on `bytes` at `there`, as mapped here, with this thread's mark set.
  // Nothing: it was not called, or returned false.
  template <typename F>
  [[gnu::always_inline]] MappedRegions::Found Change(const RemoteAddress& there,
                                                     std::uint64_t bytes, F change) {
    const MappedRegions* const mapped = InPlace(there.region.owner);
    // A thread that has no number yet gets it on the second way.
    const int number = living_thread_number;
    if (mapped == nullptr || number == 0) return {};
    Marks::Mark& mark = marks_->of(number);
    if (!mark.TrySet(there.region.keys[0])) return {};
    MappedRegions::Found found = mapped->Find(there, bytes);
    if (found.memory != nullptr && !change(found.memory)) found = {};
    mark.Clear();
    return found;
  }
  bool IsLocal(const LocalAddress& here, std::uint64_t bytes) const {
    return Fits(here.offset, bytes, here.region.bytes) && own_regions_.Exists(here.region.id);
  }
  // After the operation was done on what was found.
  Posted EndInPlace(const MappedRegions::Found& found, const RemoteAddress& there, Completion then,
                    Notify notify) const {
    const bool is_done = MappedRegions::StillHas(*found.entry, there.region.id);
    if (is_done && notify == Notify::kUnlessDone) return Posted::kDone;
    return Completed(then, is_done ? Outcome::kDone : Outcome::kRefused);
  }

  // In place by read(here, there), or the second way.
  template <typename F>
  [[gnu::always_inline]] Posted TryReadBy(const ReadParams& params, F read) {
    const MappedRegions* const mapped = InPlace(params.from.region.owner);
    if (mapped == nullptr) return PostRead(params);
    const MappedRegions::Found there = mapped->Find(params.from, params.bytes);
    if (there.memory == nullptr || !IsLocal(params.to, params.bytes)) return PostRead(params);
    read(params.to.data(), there.memory);
    return EndInPlace(there, params.from, params.then, params.notify);
  }
  template <typename F>
  [[gnu::always_inline]] Posted TryWriteBy(const WriteParams& params, F write) {
    const MappedRegions::Found there = Change(params.to, params.bytes, [&](std::byte* memory) {
      if (!IsLocal(params.from, params.bytes)) return false;
      write(params.from.data(), memory);
      return true;
    });
    if (there.memory == nullptr) return PostWrite(params);
    return EndInPlace(there, params.to, params.then, params.notify);
  }
  // Of any number of bytes. Not inlined, as the four functions below, so that a request of eight
  // bytes makes no frame for them.
  [[gnu::noinline]] Posted TryReadBytes(const ReadParams& params);
  [[gnu::noinline]] Posted TryWriteBytes(const WriteParams& params);
  [[gnu::noinline]] static Posted Completed(Completion then, Outcome outcome);
  // The second way.
  [[gnu::noinline]] Posted PostRead(const ReadParams& params);
  [[gnu::noinline]] Posted PostWrite(const WriteParams& params);
  template <AtomicWord T>
  [[gnu::noinline]] Posted PostAtomic(const AtomicParams<T>& params) {
    Command command = CommandOf(params);
    const LocalAddress* const fetch_to = params.fetch_to ? &*params.fetch_to : nullptr;
    return TryPost(command, params.target, fetch_to, params.then, params.timeout);
  }
  Posted TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                 Completion then, Timeout timeout);
  Posted PostOnce(Command& command, const RemoteAddress& there, const LocalAddress* here,
                  Completion then, Timeout timeout);
  // An operation that ends without an executor.
  void End(Completion then, Outcome outcome) const {
    if (counters_ != nullptr) counters_->CountEnd(outcome);
    then.Complete(outcome);
  }
  // There is no such region in the owner's own table.
  void Refuse(const Request& request) const {
    End(request.then, Outcome::kRefused);
    request.released.Complete(Outcome::kRefused);
  }
  Posted PostTraced(const Command& command, Completion then, Timeout timeout, Completion released);
  Posted PostUntraced(const Command& command, Completion then, Timeout timeout,
                      Completion released);
  Posted PostUnknown(const Request& request);
  Posted PostKnown(const Request& request);
  // Now, or as soon as there is room.
  void Surely(std::function<Posted()> request, Completion then, Completion released);

  Conduit& conduit_;
  Executors& executors_;
  const Departures& departures_;
  Retries& retries_;
  const RegionTable& own_regions_;            // of conduit_
  std::vector<RegionTable*> regions_;         // conduit_'s RegionsOf, by rank
  std::vector<const MappedRegions*> mapped_;  // conduit_'s, by rank
  Marks* const marks_;                        // conduit_'s
  // On the regions of how many ranks requests are done in place: of none where there is a trace or
  // a count, where the conduit maps none, and after Abort.
  std::atomic<std::uint32_t> ranks_in_place_{0};
  const Timeout timeout_;
  const Trace trace_;
  OperationCounters* const counters_;
  std::unique_ptr<Lookups> lookups_;  // where the conduit learns regions
  std::atomic<bool> aborted_{false};
};

}  // namespace llcl
