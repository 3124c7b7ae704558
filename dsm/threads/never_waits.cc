#include "dsm/threads/never_waits.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace dsm::never_waits {
namespace {

// The numbers of threads that are in a Scope, or communicate. A thread is there once for each
// reason.
class Numbers {
 public:
  void Add(pid_t thread) {
    const topo::Lock lock(mutex_);
    threads_.push_back(thread);
  }
  void Remove(pid_t thread) {
    const topo::Lock lock(mutex_);
    const auto found = std::find(threads_.begin(), threads_.end(), thread);
    if (found != threads_.end()) threads_.erase(found);
  }
  bool Has(pid_t thread) {
    const topo::Lock lock(mutex_);
    return std::find(threads_.begin(), threads_.end(), thread) != threads_.end();
  }

 private:
  topo::Mutex mutex_;
  std::vector<pid_t> threads_ ABSL_GUARDED_BY(mutex_);
};

// Never destroyed: threads end after statics.
Numbers& numbers() {
  static Numbers& all = *new Numbers;
  return all;
}

std::atomic<int> servers{0};

// Why this thread never waits. A handler's Scope may hold another handler's: progress within.
thread_local int reasons = 0;
thread_local pid_t served = 0;

// Another thread gets the number when this one has ended.
struct Communicates {
  explicit Communicates(pid_t its_thread) : thread(its_thread) { numbers().Add(thread); }
  ~Communicates() { numbers().Remove(thread); }
  const pid_t thread;
};

}  // namespace

void FromHereOn() {
  thread_local const Communicates communicates(gettid());
  (void)communicates;
  ++reasons;
}

Scope::Scope() {
  ++reasons;
  has_added_ = servers.load(std::memory_order_relaxed) > 0;
  if (has_added_) numbers().Add(gettid());
}
Scope::~Scope() {
  --reasons;
  if (has_added_) numbers().Remove(gettid());
}

Serving::Serving(pid_t thread) { served = thread; }
Serving::~Serving() { served = 0; }

Server::Server() { servers.fetch_add(1, std::memory_order_relaxed); }
Server::~Server() { servers.fetch_sub(1, std::memory_order_relaxed); }

bool IsServing() { return served != 0; }
bool IsHere() { return reasons > 0 || (IsServing() && numbers().Has(served)); }

void RequireNot(const char* call) {
  if (!IsHere()) return;
  std::fprintf(
      stderr,
      "dsm: a handler of a message calls %s, which may wait for other ranks: it hands that "
      "to a thread (SpaceOptions::handlers)\n",
      call);
  std::abort();
}

void EndAt(const void* byte, int rank, int home) {
  char text[400], where[40] = "that has no home yet";
  if (home >= 0) std::snprintf(where, sizeof where, "at home on rank %d", home);
  const int length =
      std::snprintf(text, sizeof text,
                    "dsm: rank %d: a handler of a message touches memory %s, at %p, and might wait "
                    "for the page: it %s, and hands other work to a thread "
                    "(SpaceOptions::handlers)\n",
                    rank, where, byte,
                    IsServing() ? "touches no memory of the space with this engine"
                                : "touches memory at home on its rank only");
  (void)!write(STDERR_FILENO, text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
  std::abort();
}

}  // namespace dsm::never_waits
