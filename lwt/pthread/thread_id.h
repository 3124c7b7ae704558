// pthread_t as a thread of lwt.
//
// Threads: any.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "lwt/machine/descriptor.h"

namespace lwt::c {

// Null: an OS thread outside of workers.
inline Descriptor* ThreadOf(pthread_t id) {
  return (id & 1) != 0 ? nullptr : reinterpret_cast<Descriptor*>(id);
}
inline pthread_t IdOf(Descriptor& thread) { return reinterpret_cast<pthread_t>(&thread); }
// Of an OS thread, by its ThreadMark.
inline pthread_t IdOfMark(std::uintptr_t mark) { return mark | 1; }

}  // namespace lwt::c
