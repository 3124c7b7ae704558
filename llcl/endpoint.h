// A process's part in a job: the memory it registers, and the operations it asks
// for on the memory of other ranks.
//
//   auto region = endpoint.Register(std::as_writable_bytes(std::span(buffer)));
//   llcl::Flag done;
//   while (endpoint.TryRead({.from = {there}, .to = {region->local()}, .bytes = 8,
//                            .then = done.completion()}) != llcl::Posted::kPosted) {
//     ...  // something else, or nothing: the endpoint does not say how to wait
//   }
//   endpoint.Wait(done);
//
// Every request returns at once: it is accepted, or refused with a reason. No order
// is promised among operations, nor among their completions. Nobody needs to call
// anything for them to go on.
//
// Threads: any, all members, at the same time.
// Order: completion.h.
// Errors: those of a request are Posted; what goes wrong later is the Outcome.
//
// Source: [ET17] section 3.1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/conduit.h"
#include "llcl/executor.h"
#include "llcl/region.h"

namespace llcl {

class Endpoint;

struct ReadParams {
  RemoteAddress from;
  LocalAddress to;
  std::uint64_t bytes = 0;
  Completion then = {};
};

struct WriteParams {
  LocalAddress from;
  RemoteAddress to;
  std::uint64_t bytes = 0;
  Completion then = {};
};

// The word at `target`, which is aligned to its size, becomes op(word, operand).
template <AtomicWord T>
struct AtomicParams {
  RemoteAddress target;
  AtomicOp op = AtomicOp::kAdd;
  T operand = T();
  T expected = T();                           // of kCompareSwap
  std::optional<LocalAddress> fetch_to = {};  // where the word's value before goes
  Completion then = {};
};

// A resource: registered memory. The program's memory outlives it; what was allocated
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
class Endpoint {
 public:
  Endpoint(std::unique_ptr<Conduit> conduit, const ExecutorOptions& options = {});
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  Rank rank() const;
  int size() const;

  // The program's memory, to be the local end of operations; and, where the conduit
  // has means for it, to be used by other ranks (else remote() names no region).
  absl::StatusOr<Region> Register(std::span<std::byte> memory);
  // New memory, zeros, that other ranks may use with every conduit.
  absl::StatusOr<Region> Allocate(std::uint64_t bytes);

  [[nodiscard]] Posted TryRead(const ReadParams& params);
  [[nodiscard]] Posted TryWrite(const WriteParams& params);
  template <AtomicWord T>
  [[nodiscard]] Posted TryAtomic(const AtomicParams<T>& params) {
    Command command;
    command.kind = CommandKind::kAtomic;
    command.type = TypeOf<T>();
    command.op = params.op;
    command.bytes = sizeof(T);
    command.operand = ToBits(params.operand);
    command.expected = ToBits(params.expected);
    command.fetches = params.fetch_to.has_value();
    return TryPost(command, params.target, params.fetch_to ? &*params.fetch_to : nullptr,
                   params.then);
  }

  // Returns once it was told. Makes progress meanwhile, and lets others run.
  Outcome Wait(const Flag& flag);
  void Wait(const Counter& counter, std::uint64_t expected);
  // One step of a wait of one's own.
  bool TryAdvance() { return executor_->TryAdvance(); }

  ExecutorCounts counts() const { return executor_->counts(); }

 private:
  friend class Region;
  absl::StatusOr<Region> RegionOf(const absl::StatusOr<Conduit::Registered>& registered);
  Posted TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                 Completion then);
  template <typename Done>
  void WaitUntil(Done done);

  std::unique_ptr<Conduit> conduit_;
  std::unique_ptr<Executor> executor_;  // on its own: it lies on cache lines
};

}  // namespace llcl
