// Processes that pthread programs start: they inherit the mask of the calling thread, and not that
// of its worker.
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <optional>

#include "lwt/pthread/functions.h"
#include "lwt/pthread/live_threads.h"
#include "lwt/pthread/system.h"

namespace {

using lwt::c::LiveThreads;

// The system's function with the thread's own mask on the worker.
template <typename F>
auto WithOwnMask(F f) {
  std::optional<lwt::c::MaskHere> mask;
  if (const auto* const self = LiveThreads::Self(); self != nullptr) mask.emplace(self->blocked);
  return f();
}

}  // namespace

extern "C" {

// Handlers are called by the system's fork, on the stack of the thread that forks.
int lwt_pthread_atfork(void (*prepare)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(prepare, in_parent, in_child);
}
// As the system may: the child of vfork(2) would share the stack of a thread and its worker.
pid_t lwt_vfork(void) noexcept { return fork(); }
int lwt_system(const char* command) {
  return WithOwnMask([&] { return system(command); });
}
FILE* lwt_popen(const char* command, const char* mode) {
  return WithOwnMask([&] { return popen(command, mode); });
}
int lwt_posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                    const posix_spawnattr_t* attributes, char* const* arguments,
                    char* const* environment) {
  return WithOwnMask(
      [&] { return posix_spawn(process, path, actions, attributes, arguments, environment); });
}
int lwt_posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                     const posix_spawnattr_t* attributes, char* const* arguments,
                     char* const* environment) {
  return WithOwnMask(
      [&] { return posix_spawnp(process, file, actions, attributes, arguments, environment); });
}

}  // extern "C"
