#include "lwt/c/body.h"

#include <type_traits>
#include <utility>

#include "lwt/kernel/new_thread.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/pool.h"
#include "lwt/thread.h"
#include "lwt/worker.h"

namespace lwt::c {

void Body::operator()() {
  KeyValues values;
  keys = &values;
  void* result = nullptr;
  try {
    result = function(argument);
  } catch (const Exit& exit) {
    result = exit.result;
  }
  is_cancellable = false;  // Destructors of keys are not.
  values.Destroy();
  Scheduler::Current()->current()->result = result;
  if (after != nullptr) after();
}

Body* CurrentBody() { return RunningBody<Body>(Body::kName); }

KeyValues* CurrentKeyValues() {
  if (Worker::Current() == nullptr) {
    thread_local KeyValues of_os_thread;
    return &of_os_thread;
  }
  Body* const body = CurrentBody();
  return body == nullptr ? nullptr : body->keys;
}

// Flattened, so that the body is stored where it lies and not copied there: words that were stored
// one by one and are then loaded in pairs cost a stall.
[[gnu::flatten]] Descriptor* SpawnBody(Body::Function function, void* argument) {
  static_assert(std::is_trivially_copyable_v<Body>);  // Else Spawn looks again where it is.
  return SpawnThread(Body{.function = function, .argument = argument}, Body::kName, {});
}

Descriptor& SpawnBody(Body body, const BodyOptions& options) {
  if (options.stack_bytes > Worker::Here("create").pool().stack_bytes()) {
    // Runs a little later: at this worker's head, where the calling thread yields to it.
    Descriptor& thread = CreateBody(body, options);
    Worker::Here("create").Push(ReadyThreads::Wrap(thread));
    Yield();
    return thread;
  }
  return *OrThrow(SpawnThread(body, Body::kName, options.hint));
}

Descriptor& CreateBody(Body body, const BodyOptions& options) {
  return options.stack_bytes > Worker::Here("create").pool().stack_bytes()
             ? CreateThreadWithOwnStack(body, Body::kName, options.hint, options.stack_bytes)
             : CreateThread(body, Body::kName, options.hint);
}

}  // namespace lwt::c
