// pthread_t as a thread of lwt.
//
// Threads: any.
#pragma once

#include <pthread.h>

#include "lwt/threads/descriptor.h"

namespace lwt::c {

// Null: an OS thread outside of workers (system.h).
inline Descriptor* ThreadOf(pthread_t id) {
  return (id & 1) != 0 ? nullptr : reinterpret_cast<Descriptor*>(id);
}
inline pthread_t IdOf(Descriptor& thread) { return reinterpret_cast<pthread_t>(&thread); }

}  // namespace lwt::c
