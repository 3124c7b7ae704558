#include "topo/threads.h"

#include <pthread.h>

#include <atomic>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topo {
namespace {

// Set-up's verdict, given once all threads are pinned or one could not be.
enum Verdict : int { kWait, kGo, kCancel };

struct Outcome {
  absl::Status pinned;
  std::exception_ptr thrown;
};

void WaitFor(std::atomic<int>& count, int wanted) {
  for (int seen = count.load(); seen < wanted; seen = count.load()) count.wait(seen);
}

}  // namespace

absl::Status RunThreads(const Topology& topology, const Mapping& mapping,
                        const std::function<void(const Slot&)>& body, Level level) {
  std::vector<Outcome> outcomes(mapping.size());
  std::atomic<int> ready = 0;
  std::atomic<int> verdict = kWait;
  absl::Status status;

  const auto run = [&](int thread) {
    pthread_setname_np(pthread_self(), ("topo-" + std::to_string(thread)).c_str());
    const absl::StatusOr<ScopedAffinity> pin =
        ScopedAffinity::Pin(topology, mapping[thread], level);
    outcomes[thread].pinned = pin.status();
    ready.fetch_add(1);
    ready.notify_one();
    verdict.wait(kWait);
    if (verdict.load() == kCancel) return;
    try {
      body(mapping[thread]);
    } catch (...) {
      outcomes[thread].thrown = std::current_exception();
    }
  };

  {
    std::vector<std::jthread> threads;
    threads.reserve(mapping.size());
    try {
      for (int i = 0; i < mapping.size(); ++i) threads.emplace_back(run, i);
    } catch (const std::bad_alloc&) {
      status = absl::ResourceExhaustedError("no memory to start a thread");
    } catch (const std::system_error& error) {
      status =
          absl::ResourceExhaustedError(absl::StrCat("cannot start thread ", threads.size(), " of ",
                                                    mapping.size(), ": ", error.code().message(),
                                                    " (ulimit -u, ulimit -v or a container's "
                                                    "pids.max may be the reason)"));
    }
    WaitFor(ready, static_cast<int>(threads.size()));
    for (const Outcome& outcome : outcomes) status.Update(outcome.pinned);
    verdict.store(status.ok() ? kGo : kCancel);
    verdict.notify_all();
  }
  for (const Outcome& outcome : outcomes) {
    if (outcome.thrown) std::rethrow_exception(outcome.thrown);
  }
  return status;
}

}  // namespace topo
