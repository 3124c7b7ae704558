#include "lwt/myth/attributes.h"

#include <cerrno>
#include <cstddef>
#include <limits>

#include "lwt/c/workers.h"
#include "lwt/options.h"

namespace {

using lwt::c::WorkersOptions;

// The attributes `attr`, or those of the workers that are yet to be started.
myth_globalattr_t Read(const myth_globalattr_t* attr) {
  if (attr != nullptr) return *attr;
  const WorkersOptions options = lwt::c::Defaults();
  return {options.stack_bytes, 0, options.workers, options.pinned, options.children_first, 1};
}

template <typename Change>
int Update(myth_globalattr_t* attr, Change change) {
  myth_globalattr_t changed = Read(attr);
  change(changed);
  if (attr != nullptr) {
    *attr = changed;
  } else {
    lwt::c::SetDefaults({changed.n_workers, changed.stacksize, changed.bind_workers != 0,
                         changed.child_first != 0});
  }
  return 0;
}

}  // namespace

extern "C" {

int myth_globalattr_init(myth_globalattr_t* attr) {
  if (attr == nullptr) {
    lwt::c::SetDefaults({});
  } else {
    *attr = {0, 0, 0, 0, 1, 1};
  }
  return 0;
}
int myth_globalattr_destroy(myth_globalattr_t* /*attr*/) { return 0; }
int myth_globalattr_get_stacksize(myth_globalattr_t* attr, size_t* stacksize) {
  const std::size_t set = Read(attr).stacksize;
  *stacksize = set > 0 ? set : lwt::c::DefaultStackBytes();
  return 0;
}
int myth_globalattr_set_stacksize(myth_globalattr_t* attr, size_t stacksize) {
  return Update(attr, [&](myth_globalattr_t& changed) { changed.stacksize = stacksize; });
}
int myth_globalattr_get_guardsize(myth_globalattr_t* attr, size_t* guardsize) {
  *guardsize = Read(attr).guardsize;
  return 0;
}
int myth_globalattr_set_guardsize(myth_globalattr_t* attr, size_t guardsize) {
  return Update(attr, [&](myth_globalattr_t& changed) { changed.guardsize = guardsize; });
}
int myth_globalattr_get_n_workers(myth_globalattr_t* attr, size_t* n_workers) {
  *n_workers = static_cast<size_t>(Read(attr).n_workers);
  return 0;
}
int myth_globalattr_set_n_workers(myth_globalattr_t* attr, size_t n_workers) {
  if (n_workers > static_cast<size_t>(std::numeric_limits<int>::max())) return EINVAL;
  return Update(
      attr, [&](myth_globalattr_t& changed) { changed.n_workers = static_cast<int>(n_workers); });
}
int myth_globalattr_get_bind_workers(myth_globalattr_t* attr, int* bind_workers) {
  *bind_workers = Read(attr).bind_workers;
  return 0;
}
int myth_globalattr_set_bind_workers(myth_globalattr_t* attr, int bind_workers) {
  return Update(attr, [&](myth_globalattr_t& changed) { changed.bind_workers = bind_workers; });
}
int myth_globalattr_get_child_first(myth_globalattr_t* attr, int* child_first) {
  *child_first = Read(attr).child_first;
  return 0;
}
int myth_globalattr_set_child_first(myth_globalattr_t* attr, int child_first) {
  return Update(attr, [&](myth_globalattr_t& changed) { changed.child_first = child_first; });
}

int myth_thread_attr_init(myth_thread_attr_t* attr) {
  *attr = {};
  attr->child_first = lwt::c::RunsChildrenFirst() ? 1 : 0;
  return 0;
}
int myth_thread_attr_destroy(myth_thread_attr_t* /*attr*/) { return 0; }
int myth_thread_attr_getdetachstate(const myth_thread_attr_t* attr, int* detachstate) {
  *detachstate = attr->detachstate;
  return 0;
}
int myth_thread_attr_setdetachstate(myth_thread_attr_t* attr, int detachstate) {
  if (detachstate != MYTH_CREATE_JOINABLE && detachstate != MYTH_CREATE_DETACHED) return EINVAL;
  attr->detachstate = detachstate;
  return 0;
}
int myth_thread_attr_getguardsize(const myth_thread_attr_t* attr, size_t* guardsize) {
  *guardsize = attr->guardsize;
  return 0;
}
int myth_thread_attr_setguardsize(myth_thread_attr_t* attr, size_t guardsize) {
  attr->guardsize = guardsize;
  return 0;
}
int myth_thread_attr_getstacksize(const myth_thread_attr_t* attr, size_t* stacksize) {
  *stacksize = attr->stacksize > 0 ? attr->stacksize : lwt::c::DefaultStackBytes();
  return 0;
}
int myth_thread_attr_setstacksize(myth_thread_attr_t* attr, size_t stacksize) {
  if (stacksize == 0 || stacksize > lwt::kMostStackBytes) return EINVAL;
  attr->stacksize = stacksize;
  return 0;
}
int myth_thread_attr_getstack(const myth_thread_attr_t* attr, void** stackaddr, size_t* stacksize) {
  *stackaddr = attr->stackaddr;
  return myth_thread_attr_getstacksize(attr, stacksize);
}
int myth_thread_attr_setstack(myth_thread_attr_t* /*attr*/, void* /*stackaddr*/,
                              size_t /*stacksize*/) {
  return ENOTSUP;
}
int myth_getattr_default_np(myth_thread_attr_t* attr) {
  myth_thread_attr_init(attr);
  return myth_thread_attr_getstacksize(attr, &attr->stacksize);
}
int myth_getattr_np(myth_thread_t thread, myth_thread_attr_t* attr) {
  if (thread == nullptr) return ESRCH;
  lwt::Stack* const stack = reinterpret_cast<lwt::Descriptor*>(thread)->stack;
  if (stack == nullptr) return ESRCH;
  myth_thread_attr_init(attr);
  attr->stacksize =
      stack->own_bytes > 0 ? stack->usable_own_bytes() : lwt::c::ThePool().stack_bytes();
  attr->stackaddr = static_cast<std::byte*>(stack->top()) - attr->stacksize;
  return 0;
}

}  // extern "C"
