// A process's part in a job: the memory that it registers, and its operations on the
// memory of other ranks.
//
//   auto region = endpoint.Register(std::as_writable_bytes(std::span(buffer)));
//   llcl::Flag done;
//   const llcl::Posted posted = endpoint.KeepTrying([&] {
//     return endpoint.TryRead({.from = {there}, .to = {region->local()}, .bytes = 8,
//                              .then = done.completion()});
//   });
//   if (posted != llcl::Posted::kPosted) ...            // why not
//   if (endpoint.Wait(done) != llcl::Outcome::kDone) ...  // the outcome
//
// Every request returns at once: it is accepted, or refused with a reason. No order
// is promised among operations, nor among their completions. Accepted operations proceed
// without further calls. With Notify::kUnlessDone a request may return Posted::kDone: the
// operation has ended well, and no completion is called for it.
//
// Threads: any, all members, at the same time.
// Signals: in the mode kOffload and without a trace, a handler may call TryRead, TryWrite
//   and TryAtomic with the completion of a Flag or a Counter, and wait for those by their
//   own members, if the signal has not interrupted a member of this class. It is meant for
//   handlers of page faults in the program's own memory. Not with the simulated network.
// Order: completion.h.
// Errors: those of a request are Posted; later ones are the Outcome.
//
// Source: [ET17] section 3.1.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/accumulate/accumulates.h"
#include "llcl/accumulate/elements.h"
#include "llcl/aggregator/aggregators.h"
#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/conduit/conduit.h"
#include "llcl/conduit/executors.h"
#include "llcl/conduit/registration.h"
#include "llcl/endpoint/departures.h"
#include "llcl/endpoint/endpoint_bulk.h"
#include "llcl/endpoint/endpoint_carrier.h"
#include "llcl/endpoint/endpoint_host.h"
#include "llcl/endpoint/params.h"
#include "llcl/endpoint/requests.h"
#include "llcl/endpoint/sends.h"
#include "llcl/endpoint/trace.h"
#include "llcl/endpoint/waits.h"
#include "llcl/endpoint/write_then.h"
#include "llcl/executor/counters.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/operation_counters.h"
#include "llcl/messenger.h"
#include "llcl/messenger/retries.h"
#include "llcl/options.h"
#include "llcl/presence.h"
#include "llcl/region.h"

namespace llcl {

class Collectives;
class Team;

// A resource: a facade over the parts in endpoint/.
class Endpoint {
 public:
  // Handlers may run before this returns. Errors: InvalidArgument for impossible options, with
  // field and value; ResourceExhausted where the process has no descriptor or thread left.
  static absl::StatusOr<std::unique_ptr<Endpoint>> Make(std::unique_ptr<Conduit> conduit,
                                                        EndpointOptions options = {});
  // As Make, but ends the program for impossible options, and throws std::system_error where the
  // process has no descriptor or thread left.
  Endpoint(std::unique_ptr<Conduit> conduit, EndpointOptions options = {});
  // Leaves the job: waits for all operations in flight, without a bound, then tells the other
  // ranks, for a second at most.
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  Rank rank() const { return conduit_->rank(); }
  int size() const { return conduit_->size(); }
  // Is `rank` known to be gone? Requests of it are refused.
  bool IsDown(Rank rank) const { return executors_.IsDown(rank); }
  // Whether it is here, or how it has gone: shortly after IsDown.
  Presence PresenceOf(Rank rank) const { return departures_.PresenceOf(rank); }

  // Registers the program's memory as the local end of operations and, as remote(), for other
  // ranks. The end of the region (conduit/registration.h), which comes before the endpoint's,
  // waits for their writes that are under way; until then the memory is mapped, and writable where
  // others write: that is not looked at. Any thread. Errors: InvalidArgument for no bytes;
  // ResourceExhausted.
  absl::StatusOr<Region> Register(std::span<std::byte> memory) {
    return registration_.Register(memory);
  }
  // Allocates memory, zeros, that other ranks may use with every conduit. It goes with the region,
  // and is used no more, here either. Errors: as Register.
  absl::StatusOr<Region> Allocate(std::uint64_t bytes) { return registration_.Allocate(bytes); }
  // Registers memory that the program shares by its descriptor, of a memfd or a
  // file; mapped here as the region's local().start. The caller may close it then.
  // Errors: as Register; OutOfRange for bytes beyond the file's end.
  absl::StatusOr<Region> RegisterShared(int fd, std::uint64_t offset, std::uint64_t bytes) {
    return registration_.RegisterShared(fd, offset, bytes);
  }

  [[nodiscard]] Posted TryRead(const ReadParams& params) { return requests_.TryRead(params); }
  [[nodiscard]] Posted TryWrite(const WriteParams& params) { return requests_.TryWrite(params); }
  template <AtomicWord T>
  [[nodiscard]] Posted TryAtomic(const AtomicParams<T>& params) {
    return requests_.TryAtomic(params);
  }
  // Combines an array with the owner's: integers of 1 to 16 bytes, reals and complex numbers
  // (accumulate/elements.h). The owner does it, each element atomically to other accumulates, and
  // to the atomics of its own processor; those of one rank on the same element in the order of
  // their requests. Errors: kRefused where the address is not aligned to an element. Source:
  // MPI 3.1, 11.3.4 (MPI_Accumulate).
  template <AccumulateElement T>
  [[nodiscard]] Posted TryAccumulate(const AccumulateParams<T>& params) {
    const Posted peer = requests_.CheckPeer(params.to.region.owner);
    const Posted posted =
        peer != Posted::kPosted
            ? peer
            : accumulates_.TryAccumulate(
                  {.from = std::as_bytes(params.from),
                   .to = params.to,
                   .type = ElementTypeOf<T>(),
                   .op = params.op,
                   .then = params.then,
                   .most_ms = InMs(params.timeout == Timeout{} ? timeout_ : params.timeout)});
    if (counters_) counters_->Count(Counted::kAtomic, params.from.size_bytes(), posted);
    return posted;
  }
  [[nodiscard]] Posted TrySend(const SendParams& params) {
    const Posted posted = llcl::TrySend(requests_, *messenger_, params);
    if (counters_) counters_->Count(Counted::kMessage, params.payload.size(), posted);
    return posted;
  }

  // Put with signal: a write, and when it is there, an atomic without a fetch; or a
  // message, for which `signal.payload` is copied at once. `write.then` is called when the
  // write has ended, `signal.then` when both have; with the write's outcome where it fails.
  // `notify` is not looked at.
  template <AtomicWord T>
  [[nodiscard]] Posted TryWriteThenAtomic(const WriteParams& write, const AtomicParams<T>& signal) {
    const Posted posted = llcl::TryWriteThenAtomic(
        requests_, write,
        {.command = CommandOf(signal), .then = signal.then, .timeout = signal.timeout},
        signal.target);
    if (counters_) CountPut(write, Counted::kAtomic, 0, posted);
    return posted;
  }
  [[nodiscard]] Posted TryWriteThenSend(const WriteParams& write, const SendParams& signal) {
    const Posted posted = llcl::TryWriteThenSend(requests_, *messenger_, write, signal);
    if (counters_) CountPut(write, Counted::kMessage, signal.payload.size(), posted);
    return posted;
  }

  // Returns once the flag is raised. Makes progress meanwhile, lets other threads run, and
  // sleeps where it takes long. Not in handlers and completions.
  Outcome Wait(const Flag& flag) { return waits_.Wait(flag); }
  void Wait(const Counter& counter, std::uint64_t expected) { waits_.Wait(counter, expected); }
  // One step of a wait that the program writes itself.
  bool TryAdvance() { return executors_.TryAdvance(); }

  // Calls `request` until it is not refused for want of room, and makes progress meanwhile.
  // Returns kPosted, or why it never will be posted. Not in handlers and completions.
  template <std::invocable Request>
  Posted KeepTrying(Request request) {
    return waits_.KeepTrying(std::move(request));
  }

  // Operations that have ended late, or with a lost rank, but whose local memory the
  // network may still use.
  std::uint64_t overdue() const { return executors_.overdue(); }

  // Returns when nothing is in flight; also waits for operations that other threads post meanwhile.
  void Drain() { waits_.Drain(); }
  // Everything in flight ends now, with kAborted, and nothing can be posted any more.
  void Abort() { host_.Abort(); }

  // All ranks, for collective operations (team.h).
  Team& world() { return *world_; }

  // Calls `attempt` now and then, on any thread, until it returns true: for operations
  // that are made of others, when those are refused for want of room.
  void Later(std::function<bool()> attempt) { retries_.Add(std::move(attempt)); }

  std::size_t devices() const { return executors_.size(); }
  // Of all devices.
  ExecutorCounts counts() const { return executors_.counts(); }
  ExecutorCounts counts(std::size_t device) const { return executors_.counts(device); }

 private:
  friend class AggregatorCore;
  MessengerOptions MessagesOf(const EndpointOptions& options);
  // A refusal counts once.
  void CountPut(const WriteParams& write, Counted signal, std::uint64_t signal_bytes,
                Posted posted) {
    counters_->Count(Counted::kWrite, write.bytes, posted);
    if (posted == Posted::kPosted) counters_->Count(signal, signal_bytes, posted);
  }
  std::string LineOfCounts() const;

  const std::unique_ptr<Conduit> conduit_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const std::unique_ptr<OperationCounters> counters_;  // null: nothing is counted
  Executors executors_;
  Departures departures_;
  Retries retries_;
  Requests requests_;
  Registration registration_;
  EndpointBulk bulk_;
  const std::unique_ptr<Messenger> messenger_;
  const Timeout timeout_;
  Accumulates accumulates_;
  EndpointCarrier carrier_;
  const std::unique_ptr<Collectives> collectives_;
  const std::unique_ptr<Team> world_;
  Aggregators aggregators_;
  EndpointHost host_;
  Waits waits_;
};

}  // namespace llcl
