// Operations that return when they have ended, with their outcome: a request, tried until there is
// room for it, and the wait for its end.
//
//   const llcl::Outcome read =
//       llcl::Read(endpoint, {.from = {there}, .to = {here}, .bytes = 8});
//   if (read != llcl::Outcome::kDone) std::printf("%s\n", ToString(read).data());
//
// A request that is refused has the outcome of OutcomeOf (executor/executor.h): kPeerDown;
// kRefused for a bad range and for too many bytes; kAborted where the endpoint is closing.
// The parameters' `then` is not called: the return says the same.
//
// Threads: any, but no handler and no completion. Order: as completion.h.
#pragma once

#include "llcl/async.h"
#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/endpoint.h"
#include "llcl/endpoint/params.h"
#include "llcl/executor/executor.h"
#include "llcl/region.h"

namespace llcl {

// Any operation: post(completion) requests it.
template <PostFunction Post>
Outcome PostAndWait(Endpoint& endpoint, Post post) {
  Flag ended;
  const Posted posted = endpoint.KeepTrying([&] { return post(ended.completion()); });
  return posted == Posted::kPosted ? endpoint.Wait(ended) : OutcomeOf(posted);
}

inline Outcome Read(Endpoint& endpoint, ReadParams params) {
  return PostAndWait(endpoint, [&](Completion then) {
    params.then = then;
    params.notify = Notify::kUnlessDone;
    return endpoint.TryRead(params);
  });
}

inline Outcome Write(Endpoint& endpoint, WriteParams params) {
  return PostAndWait(endpoint, [&](Completion then) {
    params.then = then;
    params.notify = Notify::kUnlessDone;
    return endpoint.TryWrite(params);
  });
}

// With a fetch or without.
template <AtomicWord T>
Outcome Atomic(Endpoint& endpoint, AtomicParams<T> params) {
  return PostAndWait(endpoint, [&](Completion then) {
    params.then = then;
    params.notify = Notify::kUnlessDone;
    return endpoint.TryAtomic<T>(params);
  });
}

template <AccumulateElement T>
Outcome Accumulate(Endpoint& endpoint, AccumulateParams<T> params) {
  return PostAndWait(endpoint, [&](Completion then) {
    params.then = then;
    return endpoint.TryAccumulate<T>(params);
  });
}

// The word's value before is at `fetch_to` then.
template <AtomicWord T>
Outcome FetchAdd(Endpoint& endpoint, const RemoteAddress& target, T operand,
                 const LocalAddress& fetch_to) {
  return Atomic<T>(endpoint, {.target = target, .operand = operand, .fetch_to = fetch_to});
}

// Done when `params.then` would be called (endpoint/params.h).
inline Outcome Send(Endpoint& endpoint, SendParams params) {
  return PostAndWait(endpoint, [&](Completion then) {
    params.then = then;
    return endpoint.TrySend(params);
  });
}

}  // namespace llcl
