#include "lwt/pthread/system.h"

#include <pthread.h>
#include <unistd.h>

namespace lwt::c {

bool IsMainThread() { return gettid() == getpid(); }

void EndOsThread(void* result) { pthread_exit(result); }

int OsStack(void*& begin, std::size_t& bytes) {
  pthread_attr_t attributes;
  if (const int error = pthread_getattr_np(pthread_self(), &attributes); error != 0) return error;
  const int error = pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace lwt::c
