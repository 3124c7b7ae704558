// Objects that a program asks to be shared by processes: lwt's objects are of one process.
//
// Threads: as other values.
#pragma once

#include <pthread.h>

#include <cerrno>

namespace lwt::c {

// The choice of the program's builder (LWT_PROCESS_SHARED_IS_PRIVATE of lwt/pthread.h): an error,
// or objects of this process, because the program is one process and shares with none.
enum class ProcessShared { kRefused, kPrivate };

// The flag in an attribute's word, where glibc's mutexes have it.
inline constexpr unsigned kSharedFlag = 1u << 31;

inline int SharedIn(unsigned word) {
  return (word & kSharedFlag) != 0 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
}
// 0; EINVAL: another value than the two; ENOTSUP: refused.
inline int SetShared(unsigned& word, int shared, ProcessShared chosen) {
  if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
  const bool is_shared = shared == PTHREAD_PROCESS_SHARED;
  if (is_shared && chosen == ProcessShared::kRefused) return ENOTSUP;
  word = (word & ~kSharedFlag) | (is_shared ? kSharedFlag : 0);
  return 0;
}

}  // namespace lwt::c
