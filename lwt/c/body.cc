#include "lwt/c/body.h"

#include <type_traits>
#include <utility>

#include "lwt/pool.h"

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

// Flattened, so that the body is stored where it lies and not copied there: words that were stored
// one by one and are then loaded in pairs cost a stall.
[[gnu::flatten]] Descriptor* SpawnBody(Body::Function function, void* argument) {
  static_assert(std::is_trivially_copyable_v<Body>);  // Else Spawn looks again where it is.
  Thread thread = ThreadAccess::Spawn(Body{.function = function, .argument = argument},
                                      SpawnOptions{.name = Body::kName}, {});
  return ThreadAccess::Release(thread);
}

Thread SpawnBody(Body body, const BodyOptions& options) {
  if (options.stack_bytes > Worker::Here("create").pool().stack_bytes()) {
    // Runs a little later: at this worker's head, where the calling thread yields to it.
    auto [thread, ready] = CreateBody(body, options);
    Worker::Here("create").Push(std::move(ready));
    Yield();
    return std::move(thread);
  }
  return ThreadAccess::OrThrow(
      ThreadAccess::Spawn(body, SpawnOptions{.name = Body::kName}, options.hint));
}

Created CreateBody(Body body, const BodyOptions& options) {
  const SpawnOptions named = {.name = Body::kName};
  return options.stack_bytes > Worker::Here("create").pool().stack_bytes()
             ? ThreadAccess::CreateWithOwnStack(body, named, options.hint, options.stack_bytes)
             : Create(body, named, options.hint);
}

}  // namespace lwt::c
