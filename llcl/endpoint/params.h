// The parameters of requests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "llcl/accumulate/elements.h"
#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/executor/command.h"
#include "llcl/messenger.h"
#include "llcl/region.h"

namespace llcl {

// How long an operation may take before it ends with kLate. Its bytes may still arrive:
// the local memory that it named is the network's until overdue() returns zero, or the
// endpoint is gone. Zero: the endpoint's `timeout` option; max(): no limit.
using Timeout = std::chrono::milliseconds;

// As executors take it; 0: no limit.
inline std::uint32_t InMs(Timeout timeout) {
  constexpr std::int64_t kMost = 1 << 30;  // Some days: for ever.
  return timeout.count() >= kMost
             ? 0
             : static_cast<std::uint32_t>(std::max<std::int64_t>(timeout.count(), 1));
}

// Whether `then` is called for an operation that is done when its request returns.
enum class Notify : std::uint8_t {
  kAlways,
  // The request may return Posted::kDone instead, which saves what the completion costs. That is
  // no promise: an operation that is done calls `then` where the conduit does it that way. One
  // that fails always does.
  kUnlessDone,
};

struct ReadParams {
  RemoteAddress from;
  LocalAddress to;
  std::uint64_t bytes = 0;
  Completion then = {};
  Timeout timeout = {};
  Notify notify = Notify::kAlways;
};

struct WriteParams {
  LocalAddress from;
  RemoteAddress to;
  std::uint64_t bytes = 0;
  Completion then = {};
  Timeout timeout = {};
  Notify notify = Notify::kAlways;
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
  Notify notify = Notify::kAlways;
};

// The array at `to` becomes op(array, from), element by element.
template <AccumulateElement T>
struct AccumulateParams {
  std::span<const T> from;  // stays as it is until `then` is called
  RemoteAddress to;         // aligned to an element
  AtomicOp op = AtomicOp::kAdd;
  Completion then = {};
  Timeout timeout = {};
};

// Calls a handler of rank `to` (messenger.h).
struct SendParams {
  Rank to{};
  HandlerId handler{};
  std::span<const std::byte> payload = {};  // copied before the call returns
  // Called when the message is on its way; one of more than Messenger::kMostPayload bytes: when
  // its receiver has it.
  Completion then = {};
};

// Without its addresses.
template <AtomicWord T>
Command CommandOf(const AtomicParams<T>& params) {
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

}  // namespace llcl
