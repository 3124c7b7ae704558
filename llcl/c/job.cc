#include "llcl/c/job.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/job.h"
#include "llcl/options.h"
#include "llcl/presence.h"

namespace {

using llcl::c::Ended;
using llcl::c::Guarded;
using llcl::c::Invalid;

llcl::EndpointOptions EndpointOptionsOf(const llcl_options& options, llcl_job* job) {
  llcl::EndpointOptions endpoint;
  for (std::size_t i = 0; i < options.handler_count; ++i) {
    endpoint.handlers.push_back([job, handler = options.handlers[i]](llcl::Message& message) {
      llcl_message seen = {job, message};
      handler.call(&seen, handler.data);
    });
  }
  const auto reports = [&options](void (*call)(void*, int)) {
    return [call, data = options.data](llcl::Rank rank) { call(data, ToInt(rank)); };
  };
  if (options.on_loss != nullptr) endpoint.on_loss = reports(options.on_loss);
  if (options.on_leave != nullptr) endpoint.on_leave = reports(options.on_leave);
  if (options.timeout_ms != 0) endpoint.timeout = std::chrono::milliseconds(options.timeout_ms);
  if (options.credits != 0) endpoint.credits = options.credits;
  if (options.large_bytes != 0) endpoint.large_bytes = options.large_bytes;
  return endpoint;
}

}  // namespace

extern "C" {

llcl_status llcl_join(const llcl_options* options, llcl_job** job) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  *job = nullptr;
  const llcl_options asked = options == nullptr ? llcl_options{} : *options;
  if (asked.handler_count > UINT16_MAX) return Invalid(__func__, "more than 65535 handlers");
  if (asked.handlers == nullptr && asked.handler_count != 0) {
    return Invalid(__func__, "handlers is NULL");
  }
  for (std::size_t i = 0; i < asked.handler_count; ++i) {
    if (asked.handlers[i].call == nullptr) return Invalid(__func__, "a handler's call is NULL");
  }
  return Guarded(__func__, [&, call = __func__] {
    auto made = std::make_unique<llcl_job>();
    made->handlers = asked.handler_count;
    absl::StatusOr<llcl::Job> joined = llcl::Join(EndpointOptionsOf(asked, made.get()));
    if (!joined.ok()) {
      return Ended(call, joined.status());
    }
    made->job = *std::move(joined);
    absl::StatusOr<llcl::Region> words = made->endpoint().Register(made->words.memory());
    if (!words.ok()) {
      return Ended(call, words.status());
    }
    made->fetched.region = *std::move(words);
    made->world.job = made.get();
    made->world.team = &made->endpoint().world();
    *job = made.release();
    return LLCL_OK;
  });
}

llcl_status llcl_leave(llcl_job* job) {
  return Guarded(__func__, [&] {
    // The regions go before the endpoint does.
    if (job != nullptr) job->endpoint().Drain();
    delete job;
    return LLCL_OK;
  });
}

llcl_status llcl_abort(llcl_job* job) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  return Guarded(__func__, [&] {
    job->endpoint().Abort();
    return LLCL_OK;
  });
}

int llcl_rank(const llcl_job* job) {
  return job == nullptr ? -1 : ToInt(job->job.endpoint->rank());
}
int llcl_size(const llcl_job* job) { return job == nullptr ? -1 : job->job.endpoint->size(); }

llcl_status llcl_presence(const llcl_job* job, int rank) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  if (rank < 0 || rank >= llcl_size(job)) return Invalid(__func__, "there is no such rank");
  switch (job->job.endpoint->PresenceOf(llcl::Rank{rank})) {
    case llcl::Presence::kHere:
      return LLCL_OK;
    case llcl::Presence::kLeft:
      return LLCL_LEFT;
    case llcl::Presence::kLost:
      return LLCL_PEER_DOWN;
  }
  return LLCL_OK;
}

}  // extern "C"
