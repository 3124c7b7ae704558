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
// without further calls.
//
// Threads: any, all members, at the same time.
// Signals: in the mode kOffload and without a trace, a handler may call TryRead, TryWrite
//   and TryAtomic with the completion of a Flag or a Counter, and wait for those by their
//   own members, unless it has interrupted a member of this class: as a handler of page
//   faults in the program's own memory. Not with the simulated network.
// Order: completion.h.
// Errors: those of a request are Posted; later ones are the Outcome.
//
// Source: [ET17] section 3.1.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/conduit.h"
#include "llcl/executor/executor.h"
#include "llcl/messenger.h"
#include "llcl/region.h"
#include "llcl/region/lookups.h"

namespace llcl {

class Collectives;
class Endpoint;
class PackingDevice;
class Team;

// How long an operation may take before it ends with kLate. Its bytes may still arrive:
// the local memory that it named is the network's until overdue() returns zero, or the
// endpoint is gone. Zero: the endpoint's `timeout` option; max(): no limit.
using Timeout = std::chrono::milliseconds;

struct ReadParams {
  RemoteAddress from;
  LocalAddress to;
  std::uint64_t bytes = 0;
  Completion then = {};
  Timeout timeout = {};
};

struct WriteParams {
  LocalAddress from;
  RemoteAddress to;
  std::uint64_t bytes = 0;
  Completion then = {};
  Timeout timeout = {};
};

// The word at `target`, which is aligned to its size, becomes op(word, operand).
template <AtomicWord T>
struct AtomicParams {
  RemoteAddress target;
  AtomicOp op = AtomicOp::kAdd;
  T operand = T();
  T expected = T();                           // of kCompareSwap
  std::optional<LocalAddress> fetch_to = {};  // for the word's value before
  Completion then = {};
  Timeout timeout = {};
};

// Calls a handler of rank `to` (messenger.h).
struct SendParams {
  Rank to{};
  HandlerId handler{};
  std::span<const std::byte> payload = {};  // copied before the call returns
  Completion then = {};                     // called when the message is on its way
};

// A request was posted or refused, or has ended: for a trace of all requests. A value.
struct TraceEvent {
  enum class What : std::uint8_t { kPosted, kRefused, kEnded };
  What what{};
  CommandKind kind{};
  Rank peer{};
  std::uint64_t bytes = 0;
  Posted posted{};                      // of kRefused: why
  Outcome outcome{};                    // of kEnded
  std::chrono::nanoseconds duration{};  // of kEnded: since the request
};

struct EndpointOptions {
  ExecutorOptions executor = {};
  std::vector<Handler> handlers = {};  // by HandlerId; the same on all ranks
  int credits = 64;                    // messages that a rank may have on their way to another
  Timeout timeout = std::chrono::seconds(30);
  // Small operations travel together (packing.h), where the network gains by it. The
  // same on all ranks.
  bool packs = false;
  // Called for each read, write, atomic and message, by the requesting and by the
  // completing thread; as short as a handler. Costs an allocation for each.
  std::function<void(const TraceEvent&)> trace = {};
  // Called once for each rank that is gone, as a handler is.
  std::function<void(Rank)> on_loss = {};
};

// A resource: registered memory. The program's memory outlives it; memory of Allocate
// goes with it.
class Region {
 public:
  Region() = default;
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept {
    std::swap(endpoint_, other.endpoint_);
    std::swap(local_, other.local_);
    std::swap(remote_, other.remote_);
    return *this;
  }
  // No operation on it may be in flight here; those of other ranks end with kRefused.
  // While operations are overdue, memory of Allocate stays until the endpoint goes.
  ~Region();

  const LocalRegion& local() const { return local_; }
  const RemoteRegion& remote() const { return remote_; }

 private:
  friend class Endpoint;
  Endpoint* endpoint_ = nullptr;
  LocalRegion local_;
  RemoteRegion remote_;
};

// A resource.
class Endpoint : private Host {
 public:
  // Handlers may run before this returns. Errors: InvalidArgument for impossible options, with
  // field and value.
  static absl::StatusOr<std::unique_ptr<Endpoint>> Make(std::unique_ptr<Conduit> conduit,
                                                        EndpointOptions options = {});
  // As Make, but ends the program for impossible options.
  Endpoint(std::unique_ptr<Conduit> conduit, EndpointOptions options = {});
  // Waits for all operations in flight, as long as that may take.
  ~Endpoint() override;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  Rank rank() const;
  int size() const;
  // Is `rank` known to be gone?
  bool IsDown(Rank rank) const;

  // Registers the program's memory as the local end of operations; where the conduit
  // supports it, other ranks may use it, too (else remote() names no region).
  absl::StatusOr<Region> Register(std::span<std::byte> memory);
  // Allocates memory, zeros, that other ranks may use with every conduit.
  absl::StatusOr<Region> Allocate(std::uint64_t bytes);
  // Registers memory that the program shares by its descriptor, of a memfd or a
  // file; mapped here as the region's local().start. The caller may close it then.
  absl::StatusOr<Region> RegisterShared(int fd, std::uint64_t offset, std::uint64_t bytes);

  [[nodiscard]] Posted TryRead(const ReadParams& params);
  [[nodiscard]] Posted TryWrite(const WriteParams& params);
  template <AtomicWord T>
  [[nodiscard]] Posted TryAtomic(const AtomicParams<T>& params) {
    Command command = CommandOf(params);
    return TryPost(command, params.target, params.fetch_to ? &*params.fetch_to : nullptr,
                   params.then, params.timeout);
  }
  [[nodiscard]] Posted TrySend(const SendParams& params);

  // Put with signal: a write, and when it is there, an atomic without a fetch; or a
  // message, for which `signal.payload` is copied at once. `write.then` is called when the
  // write has ended, `signal.then` when both have; with the write's outcome where it fails.
  template <AtomicWord T>
  [[nodiscard]] Posted TryWriteThenAtomic(const WriteParams& write, const AtomicParams<T>& signal) {
    Command second = CommandOf(signal);
    return TryWriteThen(write, second, signal.target, signal.then, signal.timeout);
  }
  [[nodiscard]] Posted TryWriteThenSend(const WriteParams& write, const SendParams& signal);

  // Returns once the flag is raised. Makes progress meanwhile, lets other threads run, and
  // sleeps where it takes long. Not in handlers and completions.
  Outcome Wait(const Flag& flag);
  void Wait(const Counter& counter, std::uint64_t expected);
  // One step of a wait that the program writes itself.
  bool TryAdvance();

  // Calls `request` until it is not refused for want of room, and makes progress meanwhile.
  // Returns kPosted, or why it never will be posted. Not in handlers and completions.
  template <std::invocable Request>
  Posted KeepTrying(Request request) {
    while (true) {
      const Posted posted = request();
      if (posted != Posted::kFull && posted != Posted::kNoTag) return posted;
      LetOthersGoOn();
    }
  }

  // Operations that have ended late, or with a lost rank, but whose local memory the
  // network may still use.
  std::uint64_t overdue() const;

  // Returns when nothing is in flight; also waits for operations that other threads post meanwhile.
  void Drain();
  // Everything in flight ends now, with kAborted, and nothing can be posted any more.
  void Abort();

  // All ranks, for collective operations (team.h).
  Team& world() { return *world_; }

  // Calls `attempt` now and then, on any thread, until it returns true: for operations
  // that are made of others, when those are refused for want of room.
  void Later(std::function<bool()> attempt) { retries_.Add(std::move(attempt)); }

  // Of all devices, or of one.
  ExecutorCounts counts() const;
  std::size_t devices() const { return executors_.size(); }
  ExecutorCounts counts(std::size_t device) const { return executors_[device]->counts(); }

 private:
  friend class Region;
  struct Chain;
  struct Traced;
  class Waiting;

  template <AtomicWord T>
  static Command CommandOf(const AtomicParams<T>& params) {
    Command command;
    command.kind = CommandKind::kAtomic;
    command.type = TypeOf<T>();
    command.op = params.op;
    command.bytes = sizeof(T);
    command.operand = ToBits(params.operand);
    command.expected = ToBits(params.expected);
    command.fetches = params.fetch_to.has_value();
    return command;
  }

  absl::StatusOr<Region> RegionOf(const absl::StatusOr<Conduit::Registered>& registered);
  // The device that is to carry `command`.
  std::size_t DeviceFor(const Command& command);
  // Fills in the addresses, or returns why they are refused.
  Posted Prepare(Command& command, const RemoteAddress& there, const LocalAddress* here);
  // `released`: executor.h.
  Posted PostNow(const Command& command, Completion then, Timeout timeout,
                 Completion released = {});
  Posted PostTraced(const Command& command, Completion then, Timeout timeout, Completion released);
  Posted PostUntraced(const Command& command, Completion then, Timeout timeout,
                      Completion released);
  Posted PostUnknown(const Request& request);
  Posted PostKnown(const Request& request);
  // Now, or as soon as there is room.
  void Surely(std::function<Posted()> attempt, Completion then, Completion released);
  Posted TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                 Completion then, Timeout timeout);
  Posted TryWriteThen(const WriteParams& write, Command& second, const RemoteAddress& there,
                      Completion then, Timeout timeout);
  Posted PostChain(const WriteParams& write, const Command& second, Completion then,
                   Timeout timeout, Completion released);
  void PostSurely(const Command& command, Completion then, Timeout timeout, Completion released);
  void LetOthersGoOn();
  template <typename Done, typename Sleep>
  void WaitUntil(Done done, Sleep sleep);

  void OnMessage(Rank from, std::span<const std::byte> bytes) override;
  bool OnAdvance() override;
  int losses() const;
  void TellLosses();
  bool IsPending() const override;
  std::uint64_t in_flight() const;

  const std::unique_ptr<Conduit> conduit_;
  const std::vector<Device*> devices_;  // of conduit_
  const RegionTable& own_regions_;      // of conduit_
  std::vector<RegionTable*> regions_;   // conduit_'s RegionsOf, by rank
  const EndpointOptions options_;
  Retries retries_;
  std::unique_ptr<Lookups> lookups_;  // where the conduit learns regions
  std::unique_ptr<Messenger> messenger_;
  std::unique_ptr<PackingDevice> packing_;  // between the conduit and the executor, if any
  std::unique_ptr<Collectives> collectives_;
  std::unique_ptr<Team> world_;
  std::atomic<bool> aborted_{false};
  static constexpr unsigned kStepsPerLook = 256;
  std::atomic<unsigned> steps_{0};
  std::atomic<int> losses_seen_{0};
  std::unique_ptr<std::atomic<bool>[]> loss_told_;  // by rank
  std::atomic<std::size_t> turn_{0};                // of the devices, for long transfers
  // By device; the last, as their threads use the others.
  std::vector<std::unique_ptr<Executor>> executors_;
};

}  // namespace llcl
