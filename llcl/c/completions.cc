#include <cstdint>
#include <cstdio>
#include <new>

#include "llcl/c/completion.h"
#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/completion.h"

namespace {

using llcl::c::Ended;
using llcl::c::Guarded;
using llcl::c::Invalid;

// The C++ object in the struct: its initializer's zeros are a new one.
llcl::Flag& In(const llcl_flag* flag) {
  static_assert(sizeof(llcl::Flag) <= sizeof flag->opaque);
  return *std::launder(reinterpret_cast<llcl::Flag*>(const_cast<std::uint64_t*>(&flag->opaque)));
}
llcl::Counter& In(const llcl_counter* counter) {
  static_assert(sizeof(llcl::Counter) <= sizeof counter->opaque);
  return *std::launder(
      reinterpret_cast<llcl::Counter*>(const_cast<std::uint64_t*>(counter->opaque)));
}
void Complete(llcl::Completion then, llcl_status outcome) {
  then.Complete(static_cast<llcl::Outcome>(outcome));
}

}  // namespace

extern "C" {

// `then` is the first member.
void llcl_raise(llcl_completion* flag, llcl_status outcome) {
  Complete(In(reinterpret_cast<llcl_flag*>(flag)).completion(), outcome);
}
void llcl_count(llcl_completion* counter, llcl_status outcome) {
  Complete(In(reinterpret_cast<llcl_counter*>(counter)).completion(), outcome);
}

llcl_status llcl_wait(llcl_job* job, llcl_flag* flag) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  if (flag == nullptr) return Invalid(__func__, "flag is NULL");
  return Guarded(__func__, [&, call = __func__] {
    const llcl::Outcome outcome = job->endpoint().Wait(In(flag));
    In(flag).Reset();
    return Ended(call, llcl::c::StatusOf(outcome));
  });
}
int llcl_is_done(const llcl_flag* flag) { return flag != nullptr && In(flag).done() ? 1 : 0; }

llcl_status llcl_wait_for(llcl_job* job, llcl_counter* counter, uint64_t expected) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  if (counter == nullptr) return Invalid(__func__, "counter is NULL");
  return Guarded(__func__, [&, call = __func__] {
    job->endpoint().Wait(In(counter), expected);
    const std::uint64_t failed = In(counter).failed();
    if (failed == 0) return LLCL_OK;
    char why[80];
    std::snprintf(why, sizeof why, "%llu operations have failed",
                  static_cast<unsigned long long>(failed));
    return Ended(call, LLCL_FAILED, why);
  });
}
uint64_t llcl_ended(const llcl_counter* counter) {
  return counter == nullptr ? 0 : In(counter).ended();
}
uint64_t llcl_failed(const llcl_counter* counter) {
  return counter == nullptr ? 0 : In(counter).failed();
}

llcl_status llcl_progress(llcl_job* job) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  return Guarded(__func__, [&] {
    (void)job->endpoint().TryAdvance();
    return LLCL_OK;
  });
}
llcl_status llcl_drain(llcl_job* job) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  return Guarded(__func__, [&] {
    job->endpoint().Drain();
    return LLCL_OK;
  });
}

}  // extern "C"
