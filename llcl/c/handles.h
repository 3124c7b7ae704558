// The objects behind the C handles, and the two forms of an operation.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "llcl/async.h"
#include "llcl/c/completion.h"
#include "llcl/c/fetch_words.h"
#include "llcl/c/results.h"
#include "llcl/completion.h"
#include "llcl/conduit/registration.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/messenger.h"
#include "llcl/team.h"
#include "topo/mutex.h"

namespace llcl::c {

// The objects that a job's handles name, for the end of the job. A resource.
template <typename T>
class Owned {
 public:
  T* Add(std::unique_ptr<T> object) {
    T* const handle = object.get();
    const topo::Lock lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  // Ends the object.
  void Remove(T* handle) {
    std::unique_ptr<T> object;  // Its end may wait, and not under the lock.
    const topo::Lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return;
    object = std::move(found->second);
    objects_.erase(found);
  }

 private:
  topo::Mutex mutex_;
  std::map<T*, std::unique_ptr<T>> objects_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl::c

struct llcl_job;

struct llcl_region {
  llcl_job* job;
  llcl::Region region;
};

struct llcl_team {
  llcl_job* job;
  llcl::Team* team;
  std::optional<llcl::Team> own;  // where `team` is not the world
};

struct llcl_message {
  llcl_job* job;
  llcl::Message& message;
};

struct llcl_job {
  llcl::Endpoint& endpoint() { return *job.endpoint; }

  std::size_t handlers = 0;
  llcl::c::FetchWords words;  // The network may use them until the endpoint's end.
  llcl::Job job;
  llcl::c::Owned<llcl_region> regions;
  llcl::c::Owned<llcl_team> teams;
  llcl_region fetched = {};  // of `words`
  llcl_team world = {};
};

namespace llcl::c {

inline Completion CompletionOf(llcl_completion* then) {
  if (then == nullptr) return {};
  return {[](void* self, Outcome outcome) {
            auto* const completion = static_cast<llcl_completion*>(self);
            completion->call(completion, StatusOf(outcome));
          },
          then};
}

// The form that returns at once: post() is the request.
template <std::invocable Post>
llcl_status Try(const char* call, Post post) noexcept {
  return Guarded(call, [&] { return Ended(call, StatusOf(post())); });
}

// The form that waits: post(completion) is the request.
template <PostFunction Post>
llcl_status Wait(const char* call, llcl_job& job, Post post) noexcept {
  return Guarded(call, [&] {
    Flag ended;
    const Posted posted = job.endpoint().KeepTrying([&] { return post(ended.completion()); });
    if (posted != Posted::kPosted) return Ended(call, StatusOf(posted));
    return Ended(call, StatusOf(job.endpoint().Wait(ended)));
  });
}

}  // namespace llcl::c
