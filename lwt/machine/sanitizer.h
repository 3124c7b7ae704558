// Announces stacks to ThreadSanitizer, AddressSanitizer and Valgrind, and mutexes to the first.
//
// They follow one stack an OS thread and misread a switch of stacks; each has calls
// by which a runtime announces one. Without a sanitizer everything here is empty, but for the
// announcement of a stack to Valgrind as the stack is made.
#pragma once

#include <cstddef>

#include "lwt/language.h"
#include "lwt/machine/valgrind.h"

#if defined(__SANITIZE_ADDRESS__)
#define LWT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LWT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define LWT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LWT_TSAN 1
#endif
#endif

#if defined(LWT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(LWT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

// A file that is compiled with a sanitizer, and an lwt that is not, or the reverse, would be a
// program of false reports. Each file names the configuration that it needs, by a pointer that the
// linker keeps, and sanitizer.cc defines the one that lwt has: another is an error of the linker.
#if defined(__has_attribute)
#if __has_attribute(retain)
#define LWT_KEPT [[gnu::used, gnu::retain]]
#endif
#endif
#if !defined(LWT_KEPT)
#define LWT_KEPT [[gnu::used]]
#endif
#if defined(LWT_ASAN)
extern "C" const char lwt_must_be_compiled_with_address_sanitizer_as_this_file_is;
#elif defined(LWT_TSAN)
extern "C" const char lwt_must_be_compiled_with_thread_sanitizer_as_this_file_is;
#else
extern "C" const char lwt_must_be_compiled_without_sanitizers_as_this_file_is;
#endif

namespace lwt {

#if defined(LWT_ASAN)
LWT_KEPT inline const char* const kNeedsAddressSanitizer =
    &lwt_must_be_compiled_with_address_sanitizer_as_this_file_is;
#elif defined(LWT_TSAN)
LWT_KEPT inline const char* const kNeedsThreadSanitizer =
    &lwt_must_be_compiled_with_thread_sanitizer_as_this_file_is;
#else
LWT_KEPT inline const char* const kNeedsNoSanitizer =
    &lwt_must_be_compiled_without_sanitizers_as_this_file_is;
#endif
#undef LWT_KEPT

#if defined(LWT_ASAN) || defined(LWT_TSAN)
inline constexpr bool kSanitizersFollowStacks = true;
#else
inline constexpr bool kSanitizersFollowStacks = false;
#endif

// A value. What the sanitizers know of one flow.
class SanitizerFlow {
 public:
  // Of a stack [bottom, bottom + bytes) that nothing runs on yet.
  void Create(const void* bottom, std::size_t bytes) {
    valgrind_number_ = AnnounceStack(bottom, static_cast<const std::byte*>(bottom) + bytes);
#if defined(LWT_ASAN)
    bottom_ = bottom;
    bytes_ = bytes;
    fake_ = nullptr;
#endif
#if defined(LWT_TSAN)
    fiber_ = __tsan_create_fiber(0);
#endif
  }
  // Of the OS thread that calls this.
  void CreateForOsThread() {
#if defined(LWT_ASAN)
    bottom_ = nullptr;  // It becomes known when it is left.
#endif
#if defined(LWT_TSAN)
    fiber_ = __tsan_get_current_fiber();
#endif
  }
  // Of one from Create; not by the flow itself.
  void Destroy() {
    ForgetStack(valgrind_number_);
#if defined(LWT_TSAN)
    __tsan_destroy_fiber(fiber_);
    fiber_ = nullptr;
#endif
  }

  // Before `this`, which runs, makes way for `to`. Nothing that is instrumented
  // may come between this and the switch.
  void Leave([[maybe_unused]] const SanitizerFlow& to) {
#if defined(LWT_ASAN)
    __sanitizer_start_switch_fiber(&fake_, to.bottom_, to.bytes_);
#endif
#if defined(LWT_TSAN)
    __tsan_switch_to_fiber(to.fiber_, 0);
#endif
  }
  // As Leave, never to come back.
  void LeaveForEver([[maybe_unused]] const SanitizerFlow& to) {
#if defined(LWT_ASAN)
    fake_ =
        nullptr;  // The stack will be used again, by frames that know nothing of those left on it.
    __asan_unpoison_memory_region(bottom_, bytes_);
    __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.bytes_);
#endif
#if defined(LWT_TSAN)
    __tsan_switch_to_fiber(to.fiber_, 0);
#endif
  }
  // First thing after a switch to `this` that came from `from`. An OS thread's
  // stack becomes known when it is left first.
  void Arrive([[maybe_unused]] SanitizerFlow* from) {
#if defined(LWT_ASAN)
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(fake_, &bottom, &bytes);
    if (from != nullptr && from->bottom_ == nullptr) {
      from->bottom_ = bottom;
      from->bytes_ = bytes;
    }
#endif
  }

 private:
#if defined(LWT_ASAN)
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void* fake_ = nullptr;
#endif
#if defined(LWT_TSAN)
  void* fiber_ = nullptr;
#endif
  unsigned valgrind_number_ = 0;
};

// What ThreadSanitizer knows of a mutex of lwt's: it then reports locks that threads take in
// different orders, though they never met. A value inside of a mutex.
class SanitizerMutex {
 public:
#if defined(LWT_TSAN)
  static constexpr bool kIsOn = true;
  ~SanitizerMutex() { __tsan_mutex_destroy(this, 0); }
#else
  static constexpr bool kIsOn = false;
#endif
  // The calling flow has got the mutex. Only then: between these two calls ThreadSanitizer ignores
  // what the flow does, and a flow that waits for the mutex is switched.
  void OnLock() {
#if defined(LWT_TSAN)
    Tell(0);
#endif
  }
  // The same by a try, which is no part of an order of locks.
  void OnTryLock() {
#if defined(LWT_TSAN)
    Tell(__tsan_mutex_try_lock);
#endif
  }
  // The flow that has the mutex is about to unlock it.
  void OnUnlock() {
#if defined(LWT_TSAN)
    __tsan_mutex_pre_unlock(this, 0);
    __tsan_mutex_post_unlock(this, 0);
#endif
  }

#if defined(LWT_TSAN)

 private:
  void Tell(unsigned flags) {
    __tsan_mutex_pre_lock(this, flags);
    __tsan_mutex_post_lock(this, flags, 0);
  }
#endif
};

}  // namespace lwt
