#include "lwt/myth/body.h"

#include <utility>

#include "lwt/pool.h"

namespace lwt::c {

void Body::operator()() {
  if (is_spawned) Scheduler::Current()->current()->is_cancelled = false;
  void* result = nullptr;
  try {
    result = function(argument);
  } catch (const Exit& exit) {
    result = exit.result;
  }
  is_cancellable = false;  // Destructors of keys are not.
  keys.Destroy();
  Scheduler::Current()->current()->result = result;
  if (after != nullptr) after();
}

Body* CurrentBody() { return RunningBody<Body>(Body::kName); }

Thread SpawnBody(Body body, const BodyOptions& options) {
  if (options.stack_bytes > Worker::Here("create").pool().stack_bytes()) {
    // Runs a little later: at this worker's head, where the calling thread yields to it.
    auto [thread, ready] = CreateBody(std::move(body), options);
    Worker::Here("create").Push(std::move(ready));
    Yield();
    return std::move(thread);
  }
  body.is_spawned = true;
  return ThreadAccess::OrThrow(
      ThreadAccess::Spawn(std::move(body), SpawnOptions{.name = Body::kName}, options.hint));
}

Created CreateBody(Body body, const BodyOptions& options) {
  const SpawnOptions named = {.name = Body::kName};
  Created made = options.stack_bytes > Worker::Here("create").pool().stack_bytes()
                     ? ThreadAccess::CreateWithOwnStack(std::move(body), named, options.hint,
                                                        options.stack_bytes)
                     : Create(std::move(body), named, options.hint);
  Descriptor* const thread = ThreadAccess::Release(made.thread);
  thread->is_cancelled = false;
  made.thread = ThreadAccess::Make(*thread);
  return made;
}

}  // namespace lwt::c
